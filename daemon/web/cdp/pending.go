package cdp

import (
	"encoding/json"
	"strings"
	"time"
)

// Pending is a command that was sent, and whose response may not have arrived yet.
type Pending struct {
	id       int
	response chan Response // has room for the response
}

// Response returns the channel on which the response is delivered.
func (p Pending) Response() <-chan Response { return p.response }

// Arrives waits up to limit for the response, and reports whether it has arrived. It leaves the
// response in the channel.
func (p Pending) Arrives(limit time.Duration) bool {
	select {
	case r := <-p.response:
		p.response <- r
		return true
	case <-time.After(limit):
		return false
	}
}

// IsTrue reports whether the response has arrived and its value is true. It does not wait, and
// leaves the response in the channel.
func (p Pending) IsTrue() bool {
	select {
	case r := <-p.response:
		p.response <- r
		var is Evaluation
		return r.Error == nil && json.Unmarshal(r.Result, &is) == nil && string(is.Result.Value) == "true"
	default:
		return false
	}
}

// Response is the response to a command.
type Response struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
	Quiet  bool            `json:"quiet"`  // added by the broker, see [Conn.IsQuiet]
	Method string          `json:"method"` // set only in an event, which is not a response
}

// Decode stores the result in out, which may be nil, or returns the response's error.
func (r Response) Decode(out any) error {
	if r.Error != nil {
		return r.Error
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(r.Result, out)
}

// Error is an error with which the browser or its broker responds to a command.
type Error struct {
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// IsNoSession reports whether the command failed because its CDP session does not exist any more.
// Such a command has no effect.
func (e *Error) IsNoSession() bool {
	return e != nil && strings.Contains(e.Message, "Session with given id not found")
}
