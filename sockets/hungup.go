package sockets

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// HungUp reports whether a connection is closed, by the peer or on this side. It asks the
// system, which has this information before a goroutine that reads has it. It consumes
// nothing that the peer has sent.
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
