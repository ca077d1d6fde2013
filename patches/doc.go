// Package patches multiplexes one browser's CDP connection among many clients, so
// that each client works as if it had a browser of its own.
//
// A [Mux] stands between the browser and the clients. It gives each client a
// browser-level CDP session, the client's root session, for the messages that the client
// sends without a sessionId. The Mux shows a client only the targets of its tenant, and
// does not forward requests that would affect other tenants. The Mux rewrites message
// ids; the ids of targets, frames and CDP sessions never change. If a method has no rule,
// the Mux uses only id, method and sessionId of the message.
//
// These terms have a meaning of their own:
//
//   - A tenant is a session of abrowser. It is known by its name, owns targets and can
//     have several clients.
//   - A tenant is live while it has a client, and for [Options.Grace] after its last client
//     has left. Then the tenant is released: its tabs stay open, but sleep ([Mux.sleep]).
//   - The shared context is the browser's default browser context, which tenants share. An
//     incognito tenant has a private context instead.
//   - A tenant's own contexts are its private context and the browser contexts that its
//     clients created.
//   - An unowned target belongs to no tenant. It is, for example, a person's tab.
//   - A target, context or CDP session is foreign to a client if it belongs to another
//     tenant or to a person.
//
// The package does no input or output, starts no goroutine and imports only the standard
// library and its codec, package cdp. Bytes and times come in through methods, and bytes
// go out through a [Transport]. All methods of a Mux are called from one goroutine, in
// launcher/broker.
//
// The invariant: no message that names a foreign target, context or CDP session
// passes from a client to the browser, or from the browser to a client.
//
// README.md lists the methods that have a rule, and the differences from a browser of
// one's own that a client finds.
package patches
