package patches

import "github.com/abrowser/abrowser/patches/cdp"

// A client can attach to a target with a session that is not flat. The messages of such a session
// are strings in other messages, Target.sendMessageToTarget and Target.receivedMessageFromTarget,
// on the session's parent. The session is a connection of its own: a message in it without a
// sessionId belongs to it, and the flat sessions below it can be used only through it.
//
// For Chromium, all sessions are flat. The Mux itself takes the messages out of
// sendMessageToTarget, applies the rules to them, and puts the messages of the browser into
// receivedMessageFromTarget. So no message reaches the browser without the rules.

// maxDepth limits how many sessions that are not flat can be in each other, because each of them
// may double the size of a message.
const maxDepth = 3

// tooDeep returns the error for a session that would exceed [maxDepth].
func tooDeep() *cdp.Error {
	return notAllowed("there are too many sessions in each other that are not flat; use flatten: true")
}

// connection returns the session in whose messages the messages of s are: s itself if it is not
// flat, otherwise the next ancestor that is not flat, or else the client's root session.
func (s *session) connection() *session {
	for s.parent != nil && !s.nested {
		s = s.parent
	}
	return s
}

// depth returns how many sessions that are not flat contain the messages of s.
func (s *session) depth() int {
	n := 0
	for s = s.connection(); s.parent != nil; s = s.parent.connection() {
		n++
	}
	return n
}

// toSession sends a message to the client on the session s, whose name the message has.
func (m *Mux) toSession(s *session, msg []byte) {
	for s = s.connection(); s.parent != nil; s = s.parent.connection() {
		target := s.target
		if s.browser {
			target = m.browserTarget
		}
		msg = cdp.Received(s.parent.name(), s.id, target, msg)
	}
	m.Transport.ToClient(s.client.id, msg)
}

// forwardEvent sends an event of the browser to the client on the session s.
func (m *Mux) forwardEvent(s *session, in cdp.Message) {
	if s.name() == "" {
		in = in.WithoutSession()
	}
	m.toSession(s, in.Raw)
}

// sendMessageToTarget handles the message in a request as if the client had sent it on the named
// session.
func sendMessageToTarget(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	child, err := s.childParam(f)
	if err != nil {
		return err
	}
	if !child.nested {
		return &cdp.Error{Code: -32000, Message: "When using flat protocol, messages are routed to the target via the sessionId attribute."}
	}
	message, err := f.text("message")
	if err != nil {
		return err
	}
	inner, parseErr := cdp.ParseRequest([]byte(message))
	m.receive(child, inner, parseErr)
	m.respond(s, r, none{})
	return nil
}

// exposeDevToolsProtocol refuses to give a page a binding that speaks CDP.
func exposeDevToolsProtocol(*Mux, *session, cdp.Request) *cdp.Error {
	return notAllowed("Target.exposeDevToolsProtocol would give the page the whole browser, with the pages of all sessions")
}
