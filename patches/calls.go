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
