package broker

import (
	"context"
	"encoding/json"

	"github.com/abrowser/abrowser/patches/cdp"
	"github.com/abrowser/abrowser/sockets/wire"
)

// pageClient is the part of a [cdpClient] whose WebSocket is for a single page, like Chromium's
// /devtools/page/ID. The mux treats the client like any other client. The broker attaches the
// client to the page. After that, a message without a sessionId belongs to the CDP session on the
// page. Only the mux's goroutine uses the fields, except for the field attached.
type pageClient struct {
	target   string
	session  string     // the CDP session on the page; empty until the client is attached
	attached chan error // receives nil when the client is attached, or the error of the attempt
}

// attachID is the id of the call that attaches a client to its page. The client does not get the
// reply. A call of the client can have the same id, because the broker reads the client's calls
// only after the reply.
const attachID = 1

// attachPage attaches a client to its page. It does nothing for a client without a page.
func (b *broker) attachPage(ctx context.Context, c *cdpClient) error {
	if c.page == nil {
		return nil
	}
	err := b.do(ctx, func() {
		params, err := json.Marshal(map[string]any{"targetId": c.page.target, "flatten": true})
		if err != nil {
			c.page.attached <- err
			return
		}
		b.mux.FromClient(c.id, cdp.Request{ID: attachID, HasID: true, Method: "Target.attachToTarget", Params: params}, nil)
	})
	if err != nil {
		return err
	}
	select {
	case err := <-c.page.attached:
		return err
	case <-c.cut:
	case <-b.done:
	case <-ctx.Done():
	}
	return wire.Errorf(wire.CodeBrowserGone, "the browser does not answer")
}

// request returns the client's request in the form in which the mux must get it.
func (p *pageClient) request(r cdp.Request) cdp.Request {
	if p != nil && r.Session == "" {
		r.Session = p.session
	}
	return r
}

// message returns the message raw in the form in which the client must get it, or nil if the client
// must not get it. ended reports that the client's page is gone.
func (p *pageClient) message(raw []byte) (msg []byte, ended bool) {
	if p == nil {
		return raw, false
	}
	in, ok := cdp.ParseMessage(raw)
	switch {
	case !ok: // such as an error without an id
		return raw, false
	case p.session == "":
		p.readAttached(in)
		return nil, false
	case in.Session == p.session:
		return in.WithoutSession().Raw, false
	case in.Session != "" || in.IsReply:
		return raw, false
	}
	var gone struct{ SessionID string }
	if in.Method != "Target.detachedFromTarget" || in.Params(&gone) != nil || gone.SessionID != p.session {
		return nil, false // an event of the browser's session
	}
	return cdp.Event("Inspector.detached", "", []byte(`{"reason":"target_closed"}`)), true
}

// readAttached handles a message that arrives before the client is attached. Only the reply to the
// call with attachID has an effect.
func (p *pageClient) readAttached(in cdp.Message) {
	if !in.IsReply || in.ID != attachID {
		return
	}
	var out struct{ SessionID string }
	err := in.Result(&out)
	if err == nil && out.SessionID == "" {
		err = wire.Errorf(wire.CodeInternal, "the browser has attached the client without a session")
	}
	p.session = out.SessionID
	p.attached <- err
}
