package client

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// connection is a connection to a server and the reader of its responses.
type connection struct {
	net.Conn
	responses *responseReader
}

// roundTrip sends a request and reads its response. It does not use http.Transport for two reasons.
// http.Transport does not report whether a request was sent before its connection was lost, and it
// starts two goroutines for each connection.
func (c *Client) roundTrip(ctx context.Context, r request) (response, error) {
	message, err := c.encode(ctx, r)
	if err != nil {
		return response{}, err
	}
	conn := c.pooled()
	if conn == nil {
		if conn, err = c.dial(ctx); err != nil {
			return response{}, err
		}
	}
	stop := context.AfterFunc(ctx, func() { conn.cancel(ctx, r) })
	var res response
	defer func() {
		if stop() && res.keepAlive && c.pool != nil {
			c.pool.put(conn)
			return
		}
		conn.Close()
	}()
	res, err = c.exchange(ctx, conn, r, message)
	return res, err
}

// exchange writes an encoded request and reads its response.
func (c *Client) exchange(ctx context.Context, conn *connection, r request, message []byte) (response, error) {
	// A server never acts on a part of a request. So if this single write fails, the server has
	// done nothing. But it may have sent a response that refuses the request before it closed the
	// connection. Such a response can still be read.
	if _, err := conn.Write(message); err != nil {
		if ctx.Err() != nil {
			return response{}, wire.ContextError(ctx, "sending "+r.path)
		}
		if refusal, err := conn.responses.next(); err == nil {
			refusal.keepAlive = false
			return refusal, nil
		}
		return response{}, wire.Errorf(wire.CodeNotRunning, "%s closed the connection before %s was sent: %v", c.Endpoint.Socket, r.path, wire.Errno(err))
	}
	res, err := conn.responses.next()
	if err != nil {
		return response{}, c.responseError(ctx, r, err)
	}
	return res, nil
}

func (c *Client) dial(ctx context.Context) (*connection, error) {
	conn, err := sockets.Dial(ctx, c.Endpoint)
	if err != nil {
		return nil, err
	}
	return &connection{conn, newResponseReader(conn)}, nil
}

// cancelWait limits how long a client waits for the response to a request that it has
// cancelled.
const cancelWait = 3 * time.Second

// cancel cancels the request r after ctx has ended. If r is not read-only and ctx was cancelled
// without a cause, cancel closes only the sending side of the connection. The server then cancels
// the request, and its response, which says whether the request was carried out, can still arrive.
// In all other cases cancel makes reads and writes fail at once. The caller then does not wait for
// the response, and closes the connection.
func (c *connection) cancel(ctx context.Context, r request) {
	conn, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || r.readOnly || !errors.Is(context.Cause(ctx), context.Canceled) {
		_ = c.SetDeadline(time.Unix(1, 0))
		return
	}
	_ = c.SetReadDeadline(time.Now().Add(cancelWait))
	_ = c.SetWriteDeadline(time.Unix(1, 0)) // stops a write that is still in progress
	_ = conn.CloseWrite()
}

// responseError returns the error for a request that was sent and got no valid response. err is the
// reason why there is no valid response.
func (c *Client) responseError(ctx context.Context, r request, err error) error {
	var coded *wire.Error
	switch {
	case errors.As(err, &coded):
		return err
	case ctx.Err() != nil && r.readOnly:
		return wire.ContextError(ctx, "waiting for the response to "+r.path)
	case errors.Is(ctx.Err(), context.Canceled):
		return wire.Errorf(wire.CodeResultUnknown, "%s was interrupted before a response arrived: it may or may not have been done", r.path).
			WithHint("abrowser snapshot shows the state of the page")
	case ctx.Err() != nil:
		return wire.Errorf(wire.CodeResultUnknown, "no response to %s arrived in time: it may or may not have been done", r.path).
			WithHint("abrowser status shows the state of the session")
	case r.readOnly:
		return wire.Errorf(wire.CodeNotRunning, "%s closed the connection before it responded to %s: %v", c.Endpoint.Socket, r.path, wire.Errno(err))
	}
	return wire.Errorf(wire.CodeResultUnknown, "the connection was lost before the response to %s: it may or may not have been done", r.path).
		WithHint("abrowser snapshot shows the state of the page")
}
