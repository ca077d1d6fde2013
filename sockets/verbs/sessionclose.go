package verbs

import (
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// SessionCloseIn is the input of [SessionClose]. A session is ended if it meets all given
// conditions.
type SessionCloseIn struct {
	Prefix string `json:"prefix,omitzero" help:"sessions whose names start with this"`
	IdleMS int    `json:"idleMs,omitzero" min:"1" help:"sessions without a command for this many milliseconds"`
	All    bool   `json:"all,omitzero" help:"all sessions that meet the other conditions"`
	Force  bool   `json:"force,omitzero" by:"person" help:"also the sessions of other agents; only if the environment sets no session"`
}

// SessionCloseOut is the output of [SessionClose]. Closed are the sessions that were ended.
// Skipped are the running sessions that do not meet the conditions, belong to other agents or
// could not be ended.
type SessionCloseOut struct {
	Closed  []string `json:"closed"`
	Skipped []string `json:"skipped"`
}

// Text returns the closed and the skipped sessions.
func (o SessionCloseOut) Text() string {
	return lines(labelled("closed: ", strings.Join(o.Closed, ", ")), labelled("skipped: ", strings.Join(o.Skipped, ", ")))
}

// SessionClose ends the running sessions that meet all given conditions. The tabs of a session
// stay open, unless the session is incognito or [Open] has set OnEnd to close.
var SessionClose = wire.Verb[SessionCloseIn, SessionCloseOut]{Spec: wire.Spec{
	Name: "session close", Group: groupSession, Short: "End the sessions with a prefix or without recent commands; their tabs stay open",
	Example: "abrowser session close --prefix task_ --idle-ms 600000", By: wire.ByCommand, NoStart: true,
}}
