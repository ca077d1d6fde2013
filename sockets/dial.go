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

// Dial connects to the place's socket and checks that the listener is our own
// user's. It returns [wire.CodeNotRunning] where nobody listens,
// [wire.CodePermission] where the system forbids to ask, and
// [wire.CodeForbidden] for another user's socket.
func Dial(ctx context.Context, p home.Endpoint) (net.Conn, error) {
	if err := p.CheckLength(); err != nil {
		return nil, err
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", p.Socket)
	if err != nil {
		return nil, dialError(ctx, p, err)
	}
	if err := checkPeer(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func dialError(ctx context.Context, p home.Endpoint, err error) error {
	switch {
	case ctx.Err() != nil:
		return wire.ContextError(ctx, "reaching "+p.Socket)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ECONNREFUSED):
		return wire.Errorf(wire.CodeNotRunning, "nobody listens at %s", p.Socket)
	case errors.Is(err, unix.EAGAIN):
		return wire.Errorf(wire.CodeBusy, "too many wait at %s", p.Socket)
	}
	return wire.OSError("reaching "+p.Socket, err)
}
