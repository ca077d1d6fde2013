package verbs

import (
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// SessionCloseIn is the input of [SessionClose]. What is given has to hold together.
type SessionCloseIn struct {
	Prefix string `json:"prefix,omitzero" help:"those whose names begin so"`
	IdleMS int    `json:"idleMs,omitzero" min:"1" help:"those that have done nothing for so many milliseconds"`
	All    bool   `json:"all,omitzero" help:"all that the other flags leave"`
	Force  bool   `json:"force,omitzero" by:"person" help:"those of other agents too; only where no session is set in the environment"`
}

// SessionCloseOut is what [SessionClose] answers: the sessions that lived before. Those that
// were not asked for and those of other agents are skipped.
type SessionCloseOut struct {
	Closed  []string `json:"closed"`
	Skipped []string `json:"skipped"`
}

// Text is what was ended, and what goes on.
func (o SessionCloseOut) Text() string {
	text := func(what string, names []string) string {
		if len(names) == 0 {
			return ""
		}
		return what + strings.Join(names, ", ")
	}
	return lines(text("closed: ", o.Closed), text("skipped: ", o.Skipped))
}

// SessionClose ends those of the sessions that live of which everything holds that is
// asked for. Their tabs stay.
var SessionClose = wire.Verb[SessionCloseIn, SessionCloseOut]{Spec: wire.Spec{
	Name: "session close", Group: groupSession, Short: "End the sessions with a prefix, or that have done nothing for a time; their tabs stay open",
	Example: "abrowser session close --prefix task_ --idle-ms 600000", By: wire.ByCommand, NoStart: true,
}}
