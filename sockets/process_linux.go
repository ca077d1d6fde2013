package sockets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// errEnded is the error of startTime for a process that has ended. It is never reassigned.
var errEnded = errors.New("the process has ended")

// startTime returns when the process was started, in clock ticks since the machine was
// booted.
func startTime(pid int) (int64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The file's second field is the program's name in parentheses. The name may contain any
	// character, including spaces and parentheses. Fields are therefore counted from the last
	// parenthesis in the file. The first field after it is the state.
	const state, start = 0, 19
	fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
	if len(fields) <= start || bytes.ContainsAny(fields[state], "ZX") {
		return 0, errEnded
	}
	return strconv.ParseInt(string(fields[start]), 10, 64)
}

// waitEvent waits until the system reports the end of the process, or returns ctx's error if
// ctx ends first. If the system cannot report the end, waitEvent returns nil at once.
func (p Process) waitEvent(ctx context.Context) error {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil { // the process has ended, the call is denied, or the kernel is older than 5.3
		return nil //nolint:nilerr // the caller polls
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	file := os.NewFile(uintptr(fd), "process")
	defer file.Close()
	if !p.IsAlive() { // p has ended; fd may then refer to another process that has reused the pid
		return nil
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Unix(1, 0)) }) // interrupts raw.Read
	defer stop()
	err = raw.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, os.ErrNoDeadline) { // the runtime cannot poll the descriptor; the caller polls
		return nil
	}
	return err
}
