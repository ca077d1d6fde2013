package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Call describes a request to its handler. The handler gets the input separately.
type Call struct {
	Session      string   // the session that the request is for
	Agent        string   // the agent that makes the request; empty for the session itself
	OwnerProcess string   // the session ends when this process ends; empty if the request has none
	Settings     Settings // the settings that the caller requests
	Deadline     time.Time
	// CallerGone reports whether the caller has disconnected or its deadline has passed. It may
	// report true before the context of the call ends. Handlers call it before an action, so that
	// they do not start the action for a caller that is gone. CallerGone may be nil.
	CallerGone func() bool
	// Aside is set by a handler if a person reads beside the session's task. Such a call is not one
	// of the session's commands.
	Aside bool

	mu       sync.Mutex // guards the fields below
	warnings []string
	records  []Record
}

// IsCallerGone returns the result of CallerGone, or false if CallerGone is nil.
func (c *Call) IsCallerGone() bool { return c.CallerGone != nil && c.CallerGone() }

// Warn adds a warning to the reply.
func (c *Call) Warn(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// Warnings returns the warnings added so far.
func (c *Call) Warnings() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.warnings)
}

// Record adds records to the reply. A record describes a decision of a policy.
func (c *Call) Record(all ...Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records = append(c.records, all...)
}

// Records returns the records added so far.
func (c *Call) Records() []Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.records)
}

// Handler serves a verb.
type Handler struct {
	Verb AnyVerb
	// Serve decodes and checks body as the verb's input and returns the verb's output.
	Serve func(ctx context.Context, call *Call, body []byte) (any, error)
	// Check decodes and checks body as Serve does, and does nothing else.
	Check func(body []byte) error
}

// Bind returns a handler that serves the verb with a function. The compiler checks that the
// function has the verb's input and output types.
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

// NewReply returns the reply to a call: the output or the error of its handler, with the
// call's warnings and records.
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
