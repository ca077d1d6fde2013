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
	n, err := peek(conn)
	return n == 0 && !errors.Is(err, unix.EAGAIN)
}

// IsIdle reports whether a connection is open and the peer has sent nothing that was not read.
func IsIdle(conn syscall.Conn) bool {
	_, err := peek(conn)
	return errors.Is(err, unix.EAGAIN)
}

// peek looks at the next byte of a connection without consuming it and without waiting. n is 0
// without an error if the peer has closed the connection.
func peek(conn syscall.Conn) (n int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err // closed on this side
	}
	controlErr := raw.Control(func(fd uintptr) {
		n, _, err = unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
	})
	return max(0, n), errors.Join(controlErr, err)
}
