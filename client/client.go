// Package client asks a session's daemon, or a browser's broker, typed questions.
//
// It knows verbs and replies and how to reach a place (package sockets). It never
// starts anything: package launcher makes a daemon run. It repeats nothing: a
// request that was sent and not answered is reported, with a code that says
// whether asking again is safe.
//
// The command line uses it, and with it the MCP server, which runs the command line's
// verbs. A daemon asks its broker over package sockets instead.
package client

import (
	"context"
	"encoding/json"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Client asks one daemon or broker and keeps its connections between questions.
// It may be used by several goroutines at once.
type Client struct {
	caller *Caller
}

// New returns a client of the caller's place. It connects at the first question.
func New(caller Caller) *Client {
	return &Client{caller: caller.Keeping()}
}

// Close closes the kept connections.
func (c *Client) Close() error { return c.caller.Close() }

// Hello asks who serves the place.
func (c *Client) Hello(ctx context.Context) (wire.Hello, error) { return c.caller.Hello(ctx) }

// Do asks for a verb and returns its output and the reply's warnings. A field at
// zero that may be omitted is, and the server fills in its default.
//
// A connection lost before the request was sent is [wire.CodeNotRunning]. Lost
// afterwards it is the same for a verb that only reads, which may be asked again,
// and [wire.CodeResultUnknown] for any other, which may have been done.
func Do[In, Out any](ctx context.Context, c *Client, v wire.Verb[In, Out], in In) (Out, []string, error) {
	var out Out
	reply, err := c.call(ctx, v.Path(), in, v.Reads)
	if err != nil {
		return out, reply.Warnings, err
	}
	if len(reply.Data) == 0 {
		return out, reply.Warnings, nil
	}
	if err := json.Unmarshal(reply.Data, &out); err != nil {
		return out, reply.Warnings, wire.Errorf(wire.CodeInternal, "the answer to %s cannot be read: %v", v.Name, err)
	}
	return out, reply.Warnings, nil
}

// Raw asks as [Do] does for the verb that doc describes, with an input and an output
// whose types are not known here. The reply's error is returned as err too.
func (c *Client) Raw(ctx context.Context, doc wire.Spec, body json.RawMessage) (wire.Reply, error) {
	return c.call(ctx, doc.Path(), body, doc.Reads)
}

func (c *Client) call(ctx context.Context, path string, body any, reads bool) (wire.Reply, error) {
	if reads {
		return c.caller.Read(ctx, path, body)
	}
	return c.caller.Call(ctx, path, body)
}
