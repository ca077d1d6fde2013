// Package client sends requests to a daemon, the process that serves a session, or to a broker, the
// process that serves a browser.
//
// [Do] runs a verb of package verbs with typed input and output. [Client.Call] runs a verb that the
// caller knows only at run time. The command line, the launcher and the daemon use this package;
// the daemon is a client of the broker. Package client does not import net/http, because linking
// net/http would make every command start later.
//
// The package starts no process, and sends no request a second time. If a request was sent and no
// response arrived, the error's code says whether the caller may repeat the request.
package client

import (
	"context"
	"encoding/json"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Client sends requests to one daemon or broker. Only Endpoint is required. A Client may be copied
// and used by several goroutines. It opens a new connection for each request, unless it was
// returned by [Client.KeepAlive].
type Client struct {
	Endpoint home.Endpoint
	Session  string // the session that requests are for
	Build    string // if set, a server of another build refuses the requests
	// Agent is the agent that sends the requests. If it is empty, this is the agent whose name is
	// Session.
	Agent        string
	OwnerProcess string        // if set, the [sockets.Process] whose exit ends the session
	Settings     wire.Settings // the settings that the caller requests

	pool *pool
}

// KeepAlive returns a copy of c that keeps connections open for later requests. The caller must
// close the copy.
func (c Client) KeepAlive() *Client {
	c.pool = &pool{}
	return &c
}

// Close closes the idle connections. Connections in use are closed after their request.
func (c *Client) Close() error {
	if c.pool != nil {
		c.pool.close()
	}
	return nil
}

// IsConnected reports whether the client has an idle connection from an earlier request that the
// server has not closed. IsConnected sends nothing. Without [Client.KeepAlive] it returns false.
func (c *Client) IsConnected() bool {
	conn := c.pooled()
	if conn != nil {
		c.pool.put(conn)
	}
	return conn != nil
}

// Do runs a verb and returns its output and the warnings of the reply. Its errors are those of
// [Client.Call]. Zero fields marked omitzero are not sent, so the server uses its defaults for
// them.
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

// Call sends body as the input of a verb and returns the reply. A nil body is sent as an empty
// object, and a [json.RawMessage] is sent unchanged. If the reply contains an error, Call also
// returns this error as err.
//
// The request contains the time until ctx's deadline. When ctx ends, the request is cancelled. If
// ctx is cancelled without a cause, Call waits up to 3 s (cancelWait) more for the response, which
// says whether the request was carried out.
//
// If ctx ends or the connection is lost before the whole request was sent, the server has done
// nothing. The error then is [wire.CodeTimeout], [wire.CodeInterrupted] or [wire.CodeNotRunning].
// If this happens after the whole request was sent, the error is [wire.CodeResultUnknown].
//
// A read-only verb may always be repeated. So its error is one of the first three codes in both
// cases, and Call returns as soon as ctx is cancelled.
func (c *Client) Call(ctx context.Context, verb wire.Spec, body any) (wire.Reply, error) {
	return c.post(ctx, verb.Path(), body, verb.ReadOnly)
}

// Hello returns the server's description of itself, even if the server is of another build than the
// client.
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
