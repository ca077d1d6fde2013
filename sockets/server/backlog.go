package server

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// awaitEmpty waits until the listener's accept queue is empty, but not longer than limit.
// The caller has removed the socket file, so no further client can enter the queue. The
// clients in the queue must be served. If the server closed the connection of a client that
// has already sent a request, the client could not tell whether the request ran.
func awaitEmpty(l net.Listener, limit time.Duration) {
	conn, ok := l.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(limit); time.Now().Before(end); <-tick.C {
		waiting := 0
		err := raw.Control(func(fd uintptr) {
			// Poll returns -1 if it fails.
			waiting, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		})
		if err != nil || waiting <= 0 {
			return
		}
	}
}
