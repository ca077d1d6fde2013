package broker

import (
	"context"
	"encoding/json"

	"github.com/abrowser/abrowser/patches/cdp"
	"github.com/abrowser/abrowser/sockets/wire"
)

// pageClient is the part of a [cdpClient] whose WebSocket is for one page, as Chromium's
// /devtools/page/ID. The mux knows the client as any other. It is attached to the page, and its
// messages without a sessionId are those of the page's CDP session. All fields but attached belong
// to the mux's goroutine.
type pageClient struct {
	target   string
	session  string     // the CDP session on the page; empty until attached has a value
	attached chan error // has a value when the client is attached, or cannot be
}

// attachID is the id of the call that attaches a page's client. The client gets no reply to it, and
// sends nothing before.
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

// request returns a request of the client as the mux has to get it.
func (p *pageClient) request(r cdp.Request) cdp.Request {
	if p != nil && r.Session == "" {
		r.Session = p.session
	}
	return r
}

// message returns a message for the client as the client has to get it, or nil if the client does not
// get it. If the client's page is gone, ended is true.
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

// readAttached reads the messages that come before the client is attached.
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
