package sockets

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// HungUp reports whether this process has closed the connection, or the peer has closed its sending
// side. While data from the peer is unread, the peer's sending side counts as open. HungUp asks the
// system and consumes no data. It can therefore report true before a pending Read returns.
func HungUp(conn syscall.Conn) bool {
	n, err := peek(conn)
	return n == 0 && !errors.Is(err, unix.EAGAIN)
}

// IsIdle reports whether a connection is open and no data from the peer is unread.
func IsIdle(conn syscall.Conn) bool {
	_, err := peek(conn)
	return errors.Is(err, unix.EAGAIN)
}

// peek looks at the next byte of a connection without consuming it and without waiting. It returns
// 0 and no error if the peer has closed its sending side.
func peek(conn syscall.Conn) (n int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err // this side has closed the connection
	}
	controlErr := raw.Control(func(fd uintptr) {
		n, _, err = unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
	})
	return max(0, n), errors.Join(controlErr, err)
}
