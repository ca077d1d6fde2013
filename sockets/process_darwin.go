package sockets

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// errEnded is the error of startTime for a process that has ended. It is never reassigned.
var errEnded = errors.New("the process has ended")

// zombie is the state of a process that has ended and whose parent has not waited for it.
const zombie = 5

// startTime returns when the process was started, in microseconds since 1970.
func startTime(pid int) (int64, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	if int(info.Proc.P_pid) != pid || info.Proc.P_stat == zombie {
		return 0, errEnded
	}
	return info.Proc.P_starttime.Sec*1_000_000 + int64(info.Proc.P_starttime.Usec), nil
}

// waitEvent waits until the system reports the end of the process, or returns ctx's error if
// ctx ends first. If the system cannot report the end, waitEvent returns nil at once.
func (p Process) waitEvent(ctx context.Context) error {
	queue, err := unix.Kqueue()
	if err != nil {
		return nil //nolint:nilerr // the caller polls
	}
	defer unix.Close(queue)
	end := unix.Kevent_t{Ident: uint64(p.PID), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD, Fflags: unix.NOTE_EXIT}
	slice := unix.NsecToTimespec(int64(500 * time.Millisecond))
	for p.IsAlive() {
		n, err := unix.Kevent(queue, []unix.Kevent_t{end}, make([]unix.Kevent_t, 1), &slice)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !errors.Is(err, unix.EINTR), n > 0:
			return nil
		}
	}
	return nil
}
