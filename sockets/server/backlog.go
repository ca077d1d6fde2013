package server

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// awaitEmpty waits, within limit, until nobody is left in the listener's queue. When
// its socket has been taken away nobody new gets there, and who did must not learn
// that the line is dead when the request has been sent: it may have been acted on
// for all that caller knows.
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
			waiting, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0) // where it fails nobody waits
		})
		if err != nil || waiting <= 0 {
			return
		}
	}
}
