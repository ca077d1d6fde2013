package handover

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// AwaitExit blocks until the process pid has ended. The process need not be a child of this one.
func AwaitExit(pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		if !errors.Is(err, unix.ESRCH) {
			pollExit(pid)
		}
		return
	}
	defer unix.Close(fd)
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

const pollTime = 200 * time.Millisecond

// pollExit does the work of AwaitExit by polling. It is for kernels before 5.3, which have no
// process descriptors (pidfd).
func pollExit(pid int) {
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	for unix.Kill(pid, 0) == nil {
		<-tick.C
	}
}
