// Package patches holds the rules over the CDP stream: what lets many clients
// share one browser as if each had it alone.
//
// A [Board] stands between the browser's one line and many clients. It knows
// which owner (a session of abrowser, by name) every target belongs to, gives
// each client a browser-level CDP session of its own, shows it the targets of
// its owner and no others, and answers itself what would reach further. Message
// ids are rewritten and the client's root is mapped to its CDP session; ids of
// targets, frames and sessions never change. Of a message whose method is in no
// rule, only id, method and sessionId are read.
//
// The package does no input or output, starts no goroutine and imports nothing
// of ours: bytes and times come in through methods, bytes go out through a
// [Line]. One goroutine calls a Board; launcher/broker owns it.
//
// The invariant: nothing that names a foreign target, context or CDP session
// leaves a client for the browser, or the browser for a client.
package patches
