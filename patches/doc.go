// Package patches multiplexes one browser's CDP connection among many clients, so
// that each client works as if it had a browser of its own.
//
// A [Mux] stands between the browser and the clients. It gives each client a
// browser-level CDP session, the client's root session, for the messages that the client
// sends without a sessionId. The Mux shows a client only the targets of its tenant, and
// does not forward requests that would affect other tenants. The function that decides
// about the requests of one method is the method's rule. If a method has no rule, the Mux
// does not decode the params of its requests. The Mux rewrites message ids; the ids of
// targets, frames and CDP sessions never change.
//
// These terms have a meaning of their own:
//
//   - A tenant is a session of abrowser. It is known by its name, owns targets and can
//     have several clients.
//   - A tenant is live while it has a client, and for [Options.Grace] after its last client
//     has left. After that time, or when the tenant is ended ([Mux.End]), it is released. The
//     Mux then stops keeping the tenant's tabs awake ([Mux.sleep]).
//   - The shared context is the browser's default browser context, which tenants share. An
//     incognito tenant has a private context instead.
//   - A tenant's own contexts are its private context and the browser contexts that its
//     clients created.
//   - An unowned target belongs to no tenant. It is, for example, a person's tab.
//   - A target, context or CDP session is foreign to a client if it belongs to another
//     tenant or to a person.
//   - A new target is paused if Chromium auto-attached to it with waitForDebuggerOnStart.
//     It does not run until Runtime.runIfWaitingForDebugger resumes it.
//
// The package does no input or output, starts no goroutine and imports only the standard
// library and its codec, package cdp. Messages come in through methods and go out through a
// [Transport], and the time comes from [Options.Clock]. All methods of a Mux are called
// from one goroutine, in launcher/broker.
//
// The invariant: no message that names a foreign target, context or CDP session
// passes from a client to the browser, or from the browser to a client.
//
// README.md lists the methods that have a rule, and how the shared browser differs, for a
// client, from a browser of its own.
package patches
