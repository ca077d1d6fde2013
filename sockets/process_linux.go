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

var errEnded = errors.New("it has ended") // a constant

// startOf is when the process was started, in the clock's ticks since the machine
// was.
func startOf(pid int) (int64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name, in brackets, may hold anything.
	const state, start = 0, 19
	fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
	if len(fields) <= start || bytes.ContainsAny(fields[state], "ZX") {
		return 0, errEnded
	}
	return strconv.ParseInt(string(fields[start]), 10, 64)
}

// wait returns when the process has ended, or when the system does not tell of it.
func (p Process) wait(ctx context.Context) error {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil { // it has ended, or the kernel is older than 5.3, or forbids it
		return nil //nolint:nilerr // as above
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	file := os.NewFile(uintptr(fd), "process")
	defer file.Close()
	if !p.IsAlive() { // it was another one's pid by now
		return nil
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Unix(1, 0)) }) // it wakes the reader
	defer stop()
	err = raw.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, os.ErrNoDeadline) { // no watch on it: the caller asks again and again
		return nil
	}
	return err
}
