// Package client sends requests to a daemon, the process that serves a session, or to a
// broker, the process that serves a browser.
//
// [Do] runs a verb of package verbs with typed input and output. [Client.Call] sends a verb
// whose types are not known to the caller at compile time. The command line, the daemon (as
// a client of the broker) and the launcher use the package. It does not import net/http,
// which would make every command start later.
//
// The package starts no process, and sends no request a second time. If a request was sent and
// no response arrived, the error's code says whether the caller may repeat the request.
package client

import (
	"context"
	"encoding/json"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Client sends requests to one daemon or broker. Endpoint is required. A Client may be
// copied and used by several goroutines. It connects for each request, unless it was
// returned by [Client.KeepAlive].
type Client struct {
	Endpoint     home.Endpoint
	Session      string        // the session that requests are for
	Build        string        // if set, a server of another build refuses requests
	Agent        string        // the agent that sends the requests; empty for the session itself
	OwnerProcess string        // the [sockets.Process] whose exit ends the session; may be empty
	Settings     wire.Settings // the settings that the caller requests

	pool *pool
}

// KeepAlive returns a copy of c that keeps connections open for later requests. The copy
// must be closed.
func (c Client) KeepAlive() *Client {
	c.pool = &pool{}
	return &c
}

// Close closes the idle connections.
func (c *Client) Close() error {
	if c.pool != nil {
		c.pool.close()
	}
	return nil
}

// IsConnected reports whether the client has kept a connection after an earlier request, and
// the server has not closed it. IsConnected sends nothing. Without [Client.KeepAlive] it returns
// false.
func (c *Client) IsConnected() bool {
	conn := c.pooled()
	if conn != nil {
		c.pool.put(conn)
	}
	return conn != nil
}

// Do runs a verb and returns its output and the reply's warnings; see [Client.Call] for the
// errors. Zero fields marked omitzero are not sent, so the server sets their defaults.
func Do[In, Out any](ctx context.Context, c *Client, v wire.Verb[In, Out], in In) (Out, []string, error) {
	var out Out
	reply, err := c.Call(ctx, v.Spec, in)
	if err != nil || len(reply.Data) == 0 {
		return out, reply.Warnings, err
	}
	if err := json.Unmarshal(reply.Data, &out); err != nil {
		return out, reply.Warnings, wire.Errorf(wire.CodeInternal, "decoding the response to %s: %v", v.Name, err)
	}
	return out, reply.Warnings, nil
}

// Call sends body as the input of a verb and returns the reply. A nil body is an empty
// object; a [json.RawMessage] is sent unchanged. The error in the reply is also returned
// as err.
//
// The request contains the time that is left until ctx's deadline. The end of ctx cancels the
// request. If ctx is cancelled without a cause, Call waits up to 3 s (cancelWait) more for the
// response, which says whether the request was carried out.
//
// If ctx ends or the connection is lost before the whole request was sent, nothing was
// done: the error is [wire.CodeTimeout], [wire.CodeInterrupted] or [wire.CodeNotRunning].
// If this happens after the whole request was sent, the error is [wire.CodeResultUnknown]. A
// read-only verb is an exception, because it may be repeated: its error is one of the three codes
// above even then, and Call returns as soon as ctx is cancelled.
func (c *Client) Call(ctx context.Context, verb wire.Spec, body any) (wire.Reply, error) {
	return c.post(ctx, verb.Path(), body, verb.ReadOnly)
}

// Hello returns the server's description of itself, even if the server has another build.
func (c *Client) Hello(ctx context.Context) (wire.Hello, error) {
	var hello wire.Hello
	r, err := c.roundTrip(ctx, request{method: methodGet, path: wire.PathHello, readOnly: true})
	if err != nil {
		return hello, err
	}
	if r.status != statusOK {
		_, err := r.reply()
		return hello, err
	}
	if err := json.Unmarshal(r.body, &hello); err != nil {
		return hello, wire.Errorf(wire.CodeInternal, "decoding hello from %s: %v", c.Endpoint.Socket, err)
	}
	return hello, nil
}

// Retire asks the server to exit. It returns [wire.CodeBusy] if the server is not idle.
func (c *Client) Retire(ctx context.Context) error {
	_, err := c.post(ctx, wire.PathRetire, nil, false)
	return err
}

func (c *Client) post(ctx context.Context, path string, body any, readOnly bool) (wire.Reply, error) {
	raw, err := encodeBody(body)
	if err != nil {
		return wire.Reply{}, err
	}
	r, err := c.roundTrip(ctx, request{method: methodPost, path: path, body: raw, readOnly: readOnly})
	if err != nil {
		return wire.Reply{}, err
	}
	return r.reply()
}
