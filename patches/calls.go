package patches

import (
	"encoding/json"

	"github.com/abrowser/abrowser/patches/cdp"
)

// pendingCall is a command that the browser has not answered.
type pendingCall struct {
	client          *client              // the client that sent the command; nil if the Mux sent it
	session         *session             // the client's session on which the command came
	clientID        int64                // the id that the client gave the command
	onReply         func(in cdp.Message) // if set, it gets the reply instead of the client
	onPicture       func(in cdp.Message) // if set, it gets the reply instead of the client, unless the client has left
	endsWithSession bool                 // the session's end also ends the call, without a reply
	onEnd           func()               // if set, it is called when the call was answered or dropped
	isCapture       bool                 // the call is a capture of a page
}

// Call sends a command for the broker, and calls onResult with the command's result or error.
func (m *Mux) Call(method string, params any, session string, onResult func(result json.RawMessage, err error)) {
	m.call(method, encode(params), session, func(in cdp.Message) {
		var result json.RawMessage
		err := in.Result(&result)
		onResult(result, err)
	})
}

// call sends a command of the Mux itself and returns the call's id. It calls onReply with the reply
// unless onReply is nil.
func (m *Mux) call(method string, params []byte, session string, onReply func(in cdp.Message)) int64 {
	id := m.nextID()
	if onReply != nil {
		m.pending[id] = pendingCall{onReply: onReply}
	}
	m.send(id, method, params, session)
	return id
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

// callFor sends a client's request on the Mux's root session. It calls onReply with the reply,
// which the client does not get. It does so even if the client has disconnected before the reply.
func (m *Mux) callFor(s *session, r cdp.Request, params []byte, onReply func(in cdp.Message)) int64 {
	id := m.nextID()
	m.pending[id] = pendingCall{client: s.client, session: s, clientID: r.ID, onReply: onReply}
	s.client.pending++
	m.send(id, r.Method, params, "")
	return id
}

// send sends a command to the browser.
func (m *Mux) send(id int64, method string, params []byte, session string) {
	m.Transport.ToBrowser(cdp.Request{ID: id, Method: method, Params: params, Session: session}.Encode())
}

// The message ids of the Mux have ten digits. A client's id that has at most ten characters can
// replace the Mux's id in a reply without a copy of the reply (see [cdp.Message.WithID]). The only
// longer ids are negative ids of ten digits. maxID is the largest 32-bit integer, which is
// Chromium's limit for ids.
const (
	minID = 1_000_000_000
	maxID = 2_147_483_647
)

// nextID returns a message id that no pending call has.
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

// dropCall removes a pending call that was answered or whose reply is not needed. If a client made
// the call, the client may then be ready for its next message; see [Mux.WhenReady].
func (m *Mux) dropCall(id int64) {
	call := m.pending[id]
	c := call.client
	delete(m.pending, id)
	if call.onEnd != nil {
		defer call.onEnd()
	}
	if c == nil {
		return
	}
	c.pending--
	if c.whenReady != nil && c.pending < maxPending {
		fn := c.whenReady
		c.whenReady = nil
		fn()
	}
}

// maxPending is the number of unanswered calls at which the Mux accepts no more messages of a
// client. Without this limit, one client could delay all others, because the browser queues any
// number of calls.
const maxPending = 2000

// WhenReady calls fn when the client may send its next message. It does so at once unless
// [maxPending] of the client's calls are unanswered. If WhenReady is called again before it has
// called fn, the new function replaces fn.
func (m *Mux) WhenReady(id ClientID, fn func()) {
	c := m.clients[id]
	if c == nil || c.pending < maxPending {
		fn()
		return
	}
	c.whenReady = fn
}

// callOn sends a command that the Mux needs for a client's request r, on the client's session s. It
// calls onReply with the reply. If the session ends before the reply, onReply is never called.
func (m *Mux) callOn(s *session, r cdp.Request, method string, params json.RawMessage, onReply func(in cdp.Message)) {
	id := m.nextID()
	m.pending[id] = pendingCall{client: s.client, session: s, clientID: r.ID, onReply: onReply, endsWithSession: true}
	s.client.pending++
	m.send(id, method, params, s.id)
}
