package patches

import (
	"encoding/json"

	"github.com/abrowser/abrowser/patches/cdp"
)

// call is a message to the browser that is not answered yet.
type pendingCall struct {
	client          *client  // who is waiting; nil for ourselves
	session         *session // on which of the client's sessions
	clientID        int64    // the client's id
	then            func(in cdp.Message)
	endsWithSession bool // it was sent on session: when that ends no reply comes, with then or without
}

// Ask sends a call of the broker's own; then gets its result or its error.
func (m *Mux) Call(method string, params any, session string, then func(result json.RawMessage, err error)) {
	m.call(method, encode(params), session, func(in cdp.Message) {
		var result json.RawMessage
		err := in.Result(&result)
		then(result, err)
	})
}

// ask sends a call of our own; then may be nil.
func (m *Mux) call(method string, params []byte, session string, then func(in cdp.Message)) {
	id := m.nextID()
	if then != nil {
		m.pending[id] = pendingCall{then: then}
	}
	m.send(id, method, params, session)
}

// pass sends a client's request on; the client gets the reply.
func (m *Mux) forward(s *session, r cdp.Request, params []byte) {
	id := m.nextID()
	m.pending[id] = pendingCall{client: s.client, session: s, clientID: r.ID}
	s.client.pending++
	if isAction(r.Method, params) {
		s.noteAction(id)
	}
	m.send(id, r.Method, params, s.id)
}

// askFor sends a client's request on as one of our own, on our root; then gets
// the reply, also when the client has left by then.
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

// Ids have ten digits: never shorter than a client's, so that the client's fits
// in its place, and never more than Chromium's int holds.
const (
	minID = 1_000_000_000
	maxID = 2_147_483_647
)

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

// forget drops a call that is answered, or will not be.
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

// window is how many calls of one client may be unanswered before the next ones
// have to wait. The browser itself queues without bound, and what one client
// floods it with holds up all.
const maxPending = 2000

// WhenFree calls do when the client's next message may come: at once, but for a
// client with too many calls unanswered. Only the last do counts.
func (m *Mux) WhenReady(id ClientID, do func()) {
	c := m.clients[id]
	if c == nil || c.pending < maxPending {
		do()
		return
	}
	c.whenReady = do
}

// callOn sends a command that a client's request needs, on one of the client's
// sessions. then gets the reply; if the session ends first, then is not called.
func (m *Mux) callOn(s *session, r cdp.Request, method string, params json.RawMessage, then func(in cdp.Message)) {
	id := m.nextID()
	m.pending[id] = pendingCall{client: s.client, session: s, clientID: r.ID, then: then, endsWithSession: true}
	s.client.pending++
	m.send(id, method, params, s.id)
}
