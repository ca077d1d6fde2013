package verbs

import (
	"time"
	"unicode/utf8"

	"github.com/abrowser/abrowser/sockets/wire"
)

// The ways in which a task can end.
const (
	OutcomeOK     = "ok"
	OutcomeFailed = "failed"
)

// maxNote is the length in bytes of the longest note about a task.
const maxNote = 1000

// Outcome is how a task has ended, as the task itself has reported it.
type Outcome struct {
	Status string    `json:"status"` // [OutcomeOK] or [OutcomeFailed]
	Note   string    `json:"note,omitzero"`
	At     time.Time `json:"at"`
}

// Text returns the outcome as a part of a line.
func (o *Outcome) Text() string {
	switch {
	case o == nil:
		return ""
	case o.Note == "":
		return "done: " + o.Status
	}
	return "done: " + o.Status + ", " + quoted(o.Note)
}

// SessionDoneIn is the input of [SessionDone].
type SessionDoneIn struct {
	Status string `json:"status,omitzero" enum:"ok|failed" help:"how the task has ended: ok (the default) or failed"`
	Note   string `json:"note,omitzero" help:"a sentence for the person who reviews the tabs"`
}

// Check returns an error for a note that is too long or not text.
func (in SessionDoneIn) Check() error {
	if len(in.Note) > maxNote || !utf8.ValidString(in.Note) {
		return wire.Errorf(wire.CodeBadInput, "the note has to be text of at most %d bytes", maxNote).WithHint("abrowser session done --note TEXT")
	}
	return nil
}

// SessionDoneOut is the output of [SessionDone].
type SessionDoneOut struct {
	Session string  `json:"session"`
	Outcome Outcome `json:"outcome"`
}

// Text is empty, because the command has only to be done.
func (o SessionDoneOut) Text() string { return "" }

// SessionDone records how the session's task has ended. The lists of sessions and tabs show it, until
// the task says something else or another task continues the session after it was closed.
var SessionDone = wire.Verb[SessionDoneIn, SessionDoneOut]{Spec: wire.Spec{
	Name: "session done", Group: groupSession, Short: "Say how the task has ended, for the person who reviews its tabs",
	Long:    "The session is not closed, and nothing changes in its pages. session list, session info and tab list --all show what was said.",
	Example: `abrowser session done --status failed --note "sold out"`, By: wire.ByCommand, NoStart: true,
}}

// BrokerDone is the part of [SessionDone] that the broker does.
var BrokerDone = wire.Verb[SessionDoneIn, SessionDoneOut]{Spec: wire.Spec{
	Name: "broker done", Group: groupBroker, Short: "Record how a session's task has ended",
	Example: "abrowser broker done", By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}
