// Package patches multiplexes one browser's CDP connection among many clients, so
// that each client works as if it had a browser of its own.
//
// A [Mux] stands between the browser and the clients. A client belongs to a tenant,
// which is a session of abrowser and is known by its name. The Mux records which
// tenant owns each target, gives each client a browser-level CDP session, shows it
// the targets of its tenant only, and answers requests that would reach further. It
// rewrites message ids and maps the client's root to its CDP session; the ids of
// targets, frames and sessions never change. If a method has no rule, the Mux uses only
// id, method and sessionId of the message.
//
// The package does no input or output, starts no goroutine and imports only its
// codec, package cdp. Bytes and times come in through methods, bytes go out through a
// [Transport]. All methods of a Mux are called from one goroutine, in launcher/broker.
//
// The invariant: no message that names a foreign target, context or CDP session
// passes from a client to the browser, or from the browser to a client.
//
// README.md lists the methods that have a rule, and the differences from a browser of
// one's own that a client finds.
package patches
