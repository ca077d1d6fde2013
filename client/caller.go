package client

import (
	"context"
	"encoding/json"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Client asks a daemon or broker over its socket. Place is required. It may be
// copied; it dials for each call unless it is made by [Caller.KeepAlive].
type Client struct {
	Endpoint     home.Endpoint
	Session      string        // whom the calls are for
	Build        string        // when set, a server of another build refuses
	Agent        string        // who acts, where that is not the session itself
	OwnerProcess string        // a [sockets.Process] that the session is for; empty leaves that as it is
	Settings     wire.Settings // what the caller asked for

	kept *kept
}

// KeepAlive returns a copy that keeps its connections for the next call. It must be
// closed.
func (c Client) KeepAlive() *Client {
	c.kept = &kept{}
	return &c
}

// Close closes the connections that were kept.
func (c *Client) Close() error {
	if c.kept != nil {
		c.kept.close()
	}
	return nil
}

// Call sends body as JSON (nil is an empty object; a [json.RawMessage] is sent as
// it is) and returns the reply; the reply's error is returned too. The time that
// ctx leaves travels with the request, and its end cancels the request. When the
// connection is lost or ctx ends before the request was sent whole, nothing has been
// done: [wire.CodeNotRunning], [wire.CodeTimeout], [wire.CodeInterrupted].
// Afterwards it is [wire.CodeResultUnknown]. If ctx is cancelled without a
// cause, Call still waits up to 3 s for the reply, which says whether the request was
// carried out.
func (c *Client) Call(ctx context.Context, spec wire.Spec, body any) (wire.Reply, error) {
	return c.post(ctx, spec.Path(), body, spec.ReadOnly)
}

// Hello asks who serves the place. It answers whatever the server's build.
func (c *Client) Hello(ctx context.Context) (wire.Hello, error) {
	var hello wire.Hello
	a, err := c.exchange(ctx, question{method: methodGet, path: wire.PathHello, reads: true})
	if err != nil {
		return hello, err
	}
	if a.status != statusOK {
		_, err := replyOf(a)
		return hello, err
	}
	if err := json.Unmarshal(a.body, &hello); err != nil {
		return hello, wire.Errorf(wire.CodeInternal, "%s answered hello with something else: %v", c.Endpoint.Socket, err)
	}
	return hello, nil
}

// Retire asks the server to end, which it does when it is idle; otherwise the
// error is [wire.CodeBusy].
func (c *Client) Retire(ctx context.Context) error {
	_, err := c.post(ctx, wire.PathRetire, nil, false)
	return err
}

func (c *Client) post(ctx context.Context, path string, body any, reads bool) (wire.Reply, error) {
	raw, err := requestBody(body)
	if err != nil {
		return wire.Reply{}, err
	}
	a, err := c.exchange(ctx, question{method: methodPost, path: path, body: raw, reads: reads})
	if err != nil {
		return wire.Reply{}, err
	}
	return replyOf(a)
}

func requestBody(body any) ([]byte, error) {
	var raw []byte
	switch b := body.(type) {
	case nil:
	case json.RawMessage:
		raw = b
	default:
		var err error
		if raw, err = json.Marshal(b); err != nil {
			return nil, wire.Errorf(wire.CodeBadInput, "encoding the request: %v", err)
		}
	}
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	if len(raw) > wire.MaxRequest {
		return nil, wire.Errorf(wire.CodeTooLarge, "the request has %d bytes; %d are allowed", len(raw), wire.MaxRequest)
	}
	return raw, nil
}

func replyOf(a answer) (wire.Reply, error) {
	reply, err := wire.DecodeReply(a.body)
	if err != nil {
		return reply, wire.Errorf(wire.CodeInternal, "the answer is not ours (HTTP status %d)", a.status)
	}
	if reply.Error != nil {
		return reply, reply.Error
	}
	if a.status != statusOK {
		return reply, wire.Errorf(wire.CodeInternal, "the answer has HTTP status %d and no error", a.status)
	}
	return reply, nil
}
