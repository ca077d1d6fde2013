// Package spare is how a daemon that was started ahead becomes a session's.
//
// Much of what a new session's first command waits for is the same for all of them: a
// program that starts, and its connection to Playwright's driver. Once more sessions
// are likely to come, a browser's broker has a daemon started that does this and then
// waits at a place of its own, see [sockets.Place.Spare]. Whoever would start a daemon
// offers it the session instead ([Take]), with all that it would have been started
// with: its environment and its log. From then on it is that session's daemon, also in
// the list of processes.
//
// The package refuses to know what a daemon is, who starts it, and for how long it
// waits. The invariant: an offer is taken once or not at all. Where it is not taken a
// daemon is started as ever; should the spare one come after all, the session's lease
// stands between them.
package spare

import "github.com/abrowser/abrowser/sockets/wire"

// Placeholder stands in a waiting daemon's command line for the session's name, which
// it has room for. It is no session's name.
const Placeholder = "(spare) " + blank + blank + blank + blank

const blank = "                              "

// Session is what a daemon is started with.
type Session struct {
	Build   string   `json:"build"` // whom it is to be of
	Name    string   `json:"name"`
	Environ []string `json:"environ"`
	Log     string   `json:"log"` // the file that its output goes to
}

// line is what one side says to the other, as JSON: the offer, that it would be taken,
// that it is still meant, and at last that the session is served, or why it is not.
type line struct {
	Offer *Session    `json:"offer,omitempty"`
	Would bool        `json:"would,omitempty"`
	Meant bool        `json:"meant,omitempty"`
	Ready bool        `json:"ready,omitempty"`
	Error *wire.Error `json:"error,omitempty"`
}

const maxLine = 256 << 10 // an environment is large
