package patches

import (
	"encoding/json"

	"github.com/abrowser/abrowser/patches/cdp"
)

// pendingCall is a command that the browser has not answered.
type pendingCall struct {
	client          *client              // the client that sent it; nil for the Mux itself
	session         *session             // the client's session that it came on
	clientID        int64                // the id that the client gave it
	then            func(in cdp.Message) // gets the reply instead of the client; may be nil
	endsWithSession bool                 // sent on session, so no reply comes after the session has ended
}

// Call sends a command for the broker, and passes the command's result or error to then.
func (m *Mux) Call(method string, params any, session string, then func(result json.RawMessage, err error)) {
	m.call(method, encode(params), session, func(in cdp.Message) {
		var result json.RawMessage
		err := in.Result(&result)
		then(result, err)
	})
}

// call sends a command of the Mux itself, and passes the reply to then unless then is nil.
func (m *Mux) call(method string, params []byte, session string, then func(in cdp.Message)) {
	id := m.nextID()
	if then != nil {
		m.pending[id] = pendingCall{then: then}
	}
	m.send(id, method, params, session)
}

// forward sends a client's request to the browser and returns the call's id. The client gets
// the reply.
func (m *Mux) forward(s *session, r cdp.Request, params []byte) int64 {
	id := m.nextID()
	m.pending[id] = pendingCall{client: s.client, session: s, clientID: r.ID}
	s.client.pending++
	if isAction(r.Method, params) {
		s.noteAction(id)
	}
	m.send(id, r.Method, params, s.id)
	return id
}

// callFor sends a client's request on the Mux's root session. It passes the reply to then
// instead of to the client, even if the client has disconnected before the reply.
func (m *Mux) callFor(s *session, r cdp.Request, params []byte, then func(in cdp.Message)) int64 {
	id := m.nextID()
	m.pending[id] = pendingCall{client: s.client, session: s, clientID: r.ID, then: then}
	s.client.pending++
	m.send(id, r.Method, params, "")
	return id
}

// send sends a command to the browser.
func (m *Mux) send(id int64, method string, params []byte, session string) {
	m.Transport.ToBrowser(cdp.Request{ID: id, Method: method, Params: params, Session: session}.Encode())
}

// The message ids of the Mux have ten digits. A client's id that has at most ten characters
// can replace the Mux's id in a reply without a copy of the reply (see [cdp.Message.WithID]).
// Only a negative id can have eleven, its sign included. maxID is the largest 32-bit integer,
// which is Chromium's limit for ids.
const (
	minID = 1_000_000_000
	maxID = 2_147_483_647
)

// nextID returns an id that no pending call has.
func (m *Mux) nextID() int64 {
	for {
		m.lastID++
		if m.lastID >= maxID {
			m.lastID = minID
		}
		if _, taken := m.pending[m.lastID]; !taken {
			return m.lastID
		}
	}
}

// dropCall removes a call that was answered or whose reply is not needed. The client that sent
// the call may then be ready for its next message; see [Mux.WhenReady].
func (m *Mux) dropCall(id int64) {
	c := m.pending[id].client
	delete(m.pending, id)
	if c == nil {
		return
	}
	c.pending--
	if c.whenReady != nil && c.pending < maxPending {
		do := c.whenReady
		c.whenReady = nil
		do()
	}
}

// maxPending is the number of unanswered calls at which a client has to wait. Without this
// limit, one client could delay all others, because the browser queues any number of calls.
const maxPending = 2000

// WhenReady calls do when the client may send its next message. That is at once, unless
// [maxPending] of its calls are unanswered. If WhenReady is called a second time before do
// was called, the second function replaces the first.
func (m *Mux) WhenReady(id ClientID, do func()) {
	c := m.clients[id]
	if c == nil || c.pending < maxPending {
		do()
		return
	}
	c.whenReady = do
}

// callOn sends a command that the Mux needs for a client's request, on one of the client's
// sessions. It calls then() with the reply. If the session ends before the reply, then() is never
// called.
func (m *Mux) callOn(s *session, r cdp.Request, method string, params json.RawMessage, then func(in cdp.Message)) {
	id := m.nextID()
	m.pending[id] = pendingCall{client: s.client, session: s, clientID: r.ID, then: then, endsWithSession: true}
	s.client.pending++
	m.send(id, method, params, s.id)
}
