// Package daemon serves one session: it decides which command runs, for which agent, and what
// happens when the browser or a connection to it is lost. It knows no page: a [Backend] drives
// them, such as the one of daemon/web.
//
// One process serves one session. Commands that use a page run one after the other, in order
// of arrival; the others never wait for a page. The daemon does not own a browser: it has one
// started, connects to the session's own endpoint at the browser's broker, and leaves its
// pages when it ends. Which pages are the session's is known to the broker and never guessed
// here.
//
// The invariant: what a command was to do is done once, on the page it was meant for, or not
// at all, and if that cannot be known the reply says so.
package daemon
