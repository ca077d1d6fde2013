package broker

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// watch returns when a process has ended that is not our child.
func watch(pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		if !errors.Is(err, unix.ESRCH) {
			watchByAsking(pid)
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

const askEvery = 200 * time.Millisecond

// watchByAsking is for kernels before 5.3.
func watchByAsking(pid int) {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for unix.Kill(pid, 0) == nil {
		<-tick.C
	}
}
