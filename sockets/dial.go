package sockets

import (
	"context"
	"errors"
	"io/fs"
	"net"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Dial connects to the endpoint's socket and checks that a process of the same user listens.
// It returns these codes, among others:
//
//   - [wire.CodeNotRunning] if no process listens,
//   - [wire.CodeForbidden] if a process of another user listens,
//   - [wire.CodePermission] if the system denies the connection,
//   - [wire.CodeBusy] if the socket's accept queue is full.
func Dial(ctx context.Context, e home.Endpoint) (net.Conn, error) {
	if err := e.CheckLength(); err != nil {
		return nil, err
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", e.Socket)
	if err != nil {
		return nil, dialError(ctx, e, err)
	}
	if err := checkPeer(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func dialError(ctx context.Context, e home.Endpoint, err error) error {
	act := "connecting to " + e.Socket
	switch {
	case ctx.Err() != nil:
		return wire.ContextError(ctx, act)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ECONNREFUSED):
		return wire.Errorf(wire.CodeNotRunning, "no process listens at %s", e.Socket)
	case errors.Is(err, unix.EAGAIN):
		return wire.Errorf(wire.CodeBusy, "too many connections wait at %s", e.Socket)
	}
	return wire.OSError(act, err)
}
