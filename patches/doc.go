// Package patches multiplexes one browser's CDP connection among many clients, so that each client
// works as if it had a browser of its own.
//
// A [Mux] stands between the browser and the clients. It gives each client a browser-level CDP
// session, the client's root session, for the messages that the client sends without a sessionId.
// The Mux shows a client only the targets of its tenant, and does not forward requests that would
// affect other tenants. A CDP method can have a rule: a function that answers, changes, forwards or
// refuses the requests of this method. The Mux does not decode the params of a request whose method
// has no rule. The Mux rewrites message ids; the ids of targets, frames and CDP sessions never
// change.
//
// These terms have a meaning of their own:
//
//   - A tenant is a session of abrowser. It is identified by its name, owns targets and can have
//     several clients.
//   - A tenant is live while it has a client, and for [Options.Grace] after its last client has
//     left. After that time, or when the tenant is ended ([Mux.End]), it is released. The Mux then
//     stops keeping the tenant's tabs awake ([Mux.sleep]).
//   - The shared context is the browser's default browser context, which tenants share. An
//     incognito tenant has a private context instead.
//   - A tenant's own contexts are its private context and the browser contexts that its clients
//     created.
//   - An unowned target belongs to no tenant. It is, for example, a person's tab.
//   - A target, context or CDP session is foreign to a client if it belongs to another tenant or to
//     a person.
//   - A new target is paused if Chromium auto-attached to it with waitForDebuggerOnStart. It does
//     not run until Runtime.runIfWaitingForDebugger resumes it.
//
// The package does no input or output, starts no goroutine and imports only the standard library
// and its codec, package cdp. The Mux gets messages through its methods, sends messages through a
// [Transport], and reads the time from [Options.Clock]. All methods of a Mux are called from one
// goroutine, in launcher/broker.
//
// The invariant: no message that names a foreign target, context or CDP session passes from a
// client to the browser, or from the browser to a client.
//
// README.md lists the methods that have a rule. It also describes how the shared browser differs
// from a browser that serves only one client.
package patches
