// Package daemon serves one session: it decides which command runs, for which agent, and what
// happens when the browser or a connection to it is lost. The package contains no code for
// pages: a [Backend] drives them, such as the one in daemon/web.
//
// One process serves one session. Commands that use a page run one after the other, in order of
// arrival. The other commands never wait for a page.
//
// The daemon does not own the browser. Sessions share a browser through its broker: a process
// that serves a CDP endpoint for each session, and that alone decides which pages belong to the
// session. The daemon asks the launcher to start the browser and the broker, connects to its
// session's endpoint, and leaves the pages open when it ends.
//
// An agent is the identity with which a client sends commands: a name, a secret id, or by
// default the session itself. A session belongs to the first agent that changes something in
// it. Other agents may only read.
//
// The invariant: a command takes effect exactly once, on the page that it was meant for, or not
// at all. If the daemon cannot find out which of the two happened, the reply says so.
package daemon
