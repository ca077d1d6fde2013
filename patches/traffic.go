package patches

import (
	"encoding/json"
	"errors"

	"github.com/abrowser/abrowser/patches/cdp"
)

// maxRequest is how long a client's message may be. At 100 MiB Chromium reads no
// more from its pipe, nobody's, and does not end.
const maxRequest = 90 << 20

// maxRuled is how long a message with a rule may be: the Board takes it apart
// while all others wait. Chromium takes no URL of more than 2 MiB; the rest is cookies.
const maxRuleRequest = 8 << 20

// FromBrowser takes a message of the browser. It may write into it.
func (m *Mux) FromBrowser(raw []byte) {
	in, ok := cdp.ParseMessage(raw)
	if !ok {
		m.Log.Debug("message of the browser to nobody", "bytes", len(raw))
		return
	}
	if in.IsReply {
		m.handleReply(in)
		return
	}
	if in.Session == "" {
		m.rootEvent(in)
		return
	}
	if s := m.sessions[in.Session]; s != nil {
		m.clientEvent(s, in)
		return
	}
	if t := m.attached[in.Session]; t != nil && in.Method == "Page.screencastFrame" {
		m.ackFrame(t, in)
	}
	if t := m.cleanup.sessions[in.Session]; t != nil {
		m.cleanup.handleEvent(t, in)
	}
}

func (m *Mux) handleReply(in cdp.Message) {
	c, ok := m.pending[in.ID]
	if !ok {
		return
	}
	m.dropCall(in.ID)
	switch {
	case c.then != nil:
		c.then(in)
	case c.client != nil:
		m.forwardReply(c, in)
	}
}

// Stream takes the beginning of a large message of the browser. Where it is the reply to
// a client's call on a session of its own below the root, ok is true: the client gets
// head for it, and then the rest as it is. Otherwise the message is for
// [Board.FromBrowser], whole, and nothing has happened. It may write into first.
func (m *Mux) StreamReply(first []byte) (to ClientID, head []byte, ok bool) {
	in, isReply := cdp.ParseHead(first)
	if !isReply {
		return 0, nil, false
	}
	c, waiting := m.pending[in.ID]
	// The reply on a root has its session taken off, which stands at its end.
	if !waiting || c.then != nil || c.client == nil || c.session.parent == nil {
		return 0, nil, false
	}
	m.dropCall(in.ID)
	return c.client.id, in.WithID(c.clientID), true // to one that has left, nobody gives it
}

// answer gives a reply to the client whose call it answers.
func (m *Mux) forwardReply(c pendingCall, in cdp.Message) {
	if c.client.gone {
		return
	}
	if c.session.parent == nil {
		in = in.WithoutSession()
	}
	raw := in.WithID(c.clientID)
	if c.client.quietReplies && c.client.tenant.unchanged() {
		raw = withQuietMember(raw)
		if m.OnActivity != nil { // a script may have set a cookie
			m.OnActivity()
		}
	}
	m.Transport.ToClient(c.client.id, raw)
}

// relay gives the reply to a call of [Board.askFor] to the client.
func (m *Mux) forwardResult(s *session, r cdp.Request, in cdp.Message) {
	var result json.RawMessage
	var refusal *cdp.Error
	switch err := in.Result(&result); {
	case err == nil:
		m.respond(s, r, result)
	case errors.As(err, &refusal):
		m.respondError(s, r, refusal)
	default:
		m.respondError(s, r, &cdp.Error{Code: -32603, Message: err.Error()})
	}
}

// FromClient takes a message of a client. It does not keep it.
func (m *Mux) FromClient(id ClientID, r cdp.Request, invalid error) {
	c := m.clients[id]
	if c == nil || c.gone || c.root == nil {
		return
	}
	switch {
	case invalid == nil:
	case r.HasID:
		m.Transport.ToClient(id, (&cdp.Error{Code: -32600, Message: invalid.Error()}).Response(r.ID, ""))
		return
	default:
		m.Transport.ToClient(id, append(append([]byte(`{"error":`), encode(&cdp.Error{Code: -32700, Message: invalid.Error()})...), '}'))
		return
	}
	s := c.root
	if r.Session != "" {
		if s = m.sessions[r.Session]; s == nil || s.client != c || s.parent == nil {
			m.Transport.ToClient(id, sessionGone().Response(r.ID, ""))
			return
		}
	}
	if r.Size > maxRequest || r.Size > maxRuleRequest && ruleFor(r.Method) != nil {
		m.respondError(s, r, badParams("the message is larger than the browser reads"))
		return
	}
	if refusal := m.applyRules(s, r); refusal != nil {
		m.respondError(s, r, refusal)
	}
}

// done answers a client's request.
func (m *Mux) respond(s *session, r cdp.Request, result any) {
	if !s.client.gone {
		m.Transport.ToClient(s.client.id, cdp.Response(r.ID, s.name(), encode(result)))
	}
}

func (m *Mux) respondError(s *session, r cdp.Request, err *cdp.Error) {
	if !s.client.gone {
		m.Transport.ToClient(s.client.id, err.Response(r.ID, s.name()))
	}
}

// sendEvent sends an event to the client of a session.
func (m *Mux) sendEvent(s *session, method string, params any) {
	m.Transport.ToClient(s.client.id, cdp.Event(method, s.name(), encode(params)))
}
