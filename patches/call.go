package patches

import (
	"encoding/json"

	"github.com/abrowser/abrowser/patches/cdp"
)

// call is a message to the browser that is not answered yet.
type call struct {
	client  *client  // who is waiting; nil for ourselves
	session *session // on which of the client's sessions
	id      int64    // the client's id
	then    func(in cdp.Message)
	bound   bool // it was sent on session: when that ends no reply comes, with then or without
}

// Ask sends a call of the broker's own; then gets its result or its error.
func (b *Board) Ask(method string, params any, session string, then func(result json.RawMessage, err error)) {
	b.ask(method, encode(params), session, func(in cdp.Message) {
		var result json.RawMessage
		err := in.Result(&result)
		then(result, err)
	})
}

// ask sends a call of our own; then may be nil.
func (b *Board) ask(method string, params []byte, session string, then func(in cdp.Message)) {
	id := b.nextID()
	if then != nil {
		b.calls[id] = call{then: then}
	}
	b.send(id, method, params, session)
}
