package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Call is one request as its handler sees it, beside the input.
type Call struct {
	Session      string   // whom it is for
	Agent        string   // who acts, empty for the session itself
	OwnerProcess string   // the process that the session is for, empty where the caller says nothing of it
	Settings     Settings // what the caller asked for
	Deadline     time.Time
	// CallerGone reports whether the caller has hung up, or its time is over: sooner than the
	// context of the call ends, for what must not be begun any more. Nil: nobody can.
	CallerGone func() bool

	mu       sync.Mutex // guards the fields below
	warnings []string
	records  []Record
}

// IsCallerGone reports whether the caller is known to have left.
func (c *Call) IsCallerGone() bool { return c.CallerGone != nil && c.CallerGone() }

// Warn adds a warning to the reply.
func (c *Call) Warn(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// Warnings returns the warnings so far.
func (c *Call) Warnings() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.warnings...)
}

// Handler is a verb and the function that answers it.
type Handler struct {
	Verb AnyVerb
	// Serve decodes body as the verb's input and answers with its output. The
	// input is checked before the function is called.
	Serve func(ctx context.Context, call *Call, body []byte) (any, error)
	// Check decodes body as Serve does and calls nothing.
	Check func(body []byte) error
}

// Bind ties a verb to a function. A function of the wrong types does not compile.
func Bind[In, Out any](v Verb[In, Out], serve func(context.Context, *Call, In) (Out, error)) Handler {
	return Handler{
		Verb: v,
		Serve: func(ctx context.Context, call *Call, body []byte) (any, error) {
			in, err := DecodeIn[In](bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			return serve(ctx, call, in)
		},
		Check: func(body []byte) error {
			_, err := DecodeIn[In](bytes.NewReader(body))
			return err
		},
	}
}

// NewReply makes the reply of a handler's answer.
func NewReply(call *Call, out any, err error) Reply {
	r := Reply{Warnings: call.Warnings(), Records: call.Records()}
	if err == nil {
		r.Data, err = json.Marshal(out)
	}
	if err != nil {
		r.Data, r.Error = nil, AsError(err)
	}
	return r
}
