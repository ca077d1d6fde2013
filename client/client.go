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

// Do asks for a verb and returns its output and the reply's warnings. A field at
// zero that may be omitted is, and the server fills in its default.
//
// A connection lost before the request was sent is [wire.CodeNotRunning]. Lost
// afterwards it is the same for a verb that only reads, which may be asked again,
// and [wire.CodeResultUnknown] for any other, which may have been done.
func Do[In, Out any](ctx context.Context, c *Client, v wire.Verb[In, Out], in In) (Out, []string, error) {
	var out Out
	reply, err := c.Call(ctx, v.Spec, in)
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
