package server

import (
	"context"
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// connOf is the key in a request's context of the connection that it came by.
type connOf struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connOf{}, conn)
}

// hungUp reports whether the caller of a request has hung up. The system knows it at
// once; that the request's context ends takes until this process comes to it. What the
// caller has sent stays to be read.
func hungUp(ctx context.Context) bool {
	conn, ok := ctx.Value(connOf{}).(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return true // it is closed
	}
	over := false
	err = raw.Control(func(fd uintptr) {
		n, _, err := unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
		over = n == 0 && err == nil || errors.Is(err, unix.ECONNRESET)
	})
	return over || err != nil
}
