package server

import (
	"context"
	"net"
	"syscall"

	"github.com/abrowser/abrowser/sockets"
)

// connKey is the key of a request's connection in the request's context.
type connKey struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// disconnected reports whether the client of a request has closed its connection. It asks
// the system, which reports this before net/http cancels the request's context.
func disconnected(ctx context.Context) bool {
	conn, ok := ctx.Value(connKey{}).(syscall.Conn)
	return ok && sockets.HungUp(conn)
}
