package patches

import (
	"encoding/json"
	"errors"

	"github.com/abrowser/abrowser/patches/cdp"
)

// maxRequest is the size limit of a client's message. A message of 100 MiB makes Chromium stop
// reading its pipe for every client, without exiting.
const maxRequest = 90 << 20

// maxRuleRequest is the size limit of a client's message whose method has a rule. The Mux decodes
// such a message while all clients wait. The longest of these messages in practice carry a URL,
// which Chromium limits to 2 MiB, or many cookies.
const maxRuleRequest = 8 << 20

// FromBrowser handles a message of the browser. The Mux keeps raw and may overwrite it, so the
// caller must not use raw afterwards.
func (m *Mux) FromBrowser(raw []byte) {
	in, ok := cdp.ParseMessage(raw)
	if !ok {
		m.Log.Debug("unexpected message of the browser", "bytes", len(raw))
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
	if m.guard.handleEvent(in) {
		return
	}
	if t := m.attached[in.Session]; t != nil {
		if in.Method == "Page.screencastFrame" {
			if !m.viewFrame(t, in) {
				m.ackFrame(t, in)
			}
		}
		m.dialogEvent(t, in)
	}
	if c := m.cleanup.sessions[in.Session]; c != nil {
		m.cleanup.handleEvent(c, in)
	}
}

// handleReply passes a reply of the browser to the sender of the pending call.
func (m *Mux) handleReply(in cdp.Message) {
	c, ok := m.pending[in.ID]
	if !ok {
		return
	}
	if c.onPicture != nil {
		c.onPicture(in) // before the end of the call, after which other captures begin
		m.dropCall(in.ID)
		return
	}
	m.dropCall(in.ID)
	switch {
	case c.onReply != nil:
		c.onReply(in)
	case c.client != nil:
		m.forwardReply(c, in)
	}
}

// forwardReply sends the browser's reply to the client that made the call c.
func (m *Mux) forwardReply(c pendingCall, in cdp.Message) {
	if c.client.gone {
		return
	}
	if c.session.name() == "" {
		in = in.WithoutSession()
	}
	raw := in.WithID(c.clientID)
	if c.client.quietReplies && c.client.tenant.unchanged() {
		raw = withQuietMember(raw)
		if m.OnActivity != nil { // a script may have set a cookie
			m.OnActivity()
		}
	}
	m.toSession(c.session, raw)
}

// forwardResult answers a client's request r with the result or the error of a reply. The Mux got
// this reply to a call that it made for the request by [Mux.callFor].
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

// FromClient handles a client's request. r and parseErr are the results of [cdp.ParseRequest].
// After FromClient has returned, the Mux does not use the bytes to which r refers.
func (m *Mux) FromClient(id ClientID, r cdp.Request, parseErr error) {
	c := m.clients[id]
	if c == nil || c.gone || c.root == nil {
		return
	}
	if c.group == "" { // otherwise it is abrowser's daemon, which itself records its activity
		c.tenant.Last = m.now()
	}
	m.receive(c.root, r, parseErr)
}

// receive handles a client's request that came on a connection. The connection is the client's root
// session or a session that is not flat. r and parseErr are the results of [cdp.ParseRequest].
func (m *Mux) receive(on *session, r cdp.Request, parseErr error) {
	switch {
	case parseErr == nil:
	case r.HasID:
		m.toSession(on, (&cdp.Error{Code: -32600, Message: parseErr.Error()}).Response(r.ID, ""))
		return
	default:
		m.toSession(on, append(append([]byte(`{"error":`), encode(&cdp.Error{Code: -32700, Message: parseErr.Error()})...), '}'))
		return
	}
	s := on
	if r.Session != "" {
		if s = m.sessions[r.Session]; s == nil || s == on || s.connection() != on {
			m.toSession(on, sessionGone().Response(r.ID, ""))
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

// respond answers a client's request with a result.
func (m *Mux) respond(s *session, r cdp.Request, result any) {
	if !s.client.gone {
		m.toSession(s, cdp.Response(r.ID, s.name(), encode(result)))
	}
}

// respondError answers a client's request with an error.
func (m *Mux) respondError(s *session, r cdp.Request, err *cdp.Error) {
	if !s.client.gone {
		m.toSession(s, err.Response(r.ID, s.name()))
	}
}

// sendEvent sends an event to a client, on the client's session s.
func (m *Mux) sendEvent(s *session, method string, params any) {
	m.toSession(s, cdp.Event(method, s.name(), encode(params)))
}
