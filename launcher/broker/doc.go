// Package broker is the two processes around one browser: the keeper, which
// holds it, and the broker, which alone speaks to it.
//
// [Keep] starts Chromium on a pipe and the broker with the pipe's ends, the
// listening socket and the profile's lease, and starts the broker again when it
// dies or is silent. [Serve] is the broker: package patches around the pipe, CDP
// for each session over WebSocket, and the verbs that wire declares for it. What
// it owns is on disk before it matters, so that a new broker goes on where a
// killed one stopped.
//
// The package starts no daemon, knows no page and drives nothing: it passes on.
//
// One goroutine owns the table; the pipe's reader never waits for a client.
package broker
