package sockets

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// HungUp reports whether this process has closed the connection, or the peer has closed its
// sending side. It asks the system, which reports this earlier than a pending Read. It
// consumes no data, and reports false while data of the peer is unread.
func HungUp(conn syscall.Conn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return true // closed on this side
	}
	closed := false
	err = raw.Control(func(fd uintptr) {
		n, _, err := unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
		closed = n == 0 && err == nil || errors.Is(err, unix.ECONNRESET)
	})
	return closed || err != nil
}
