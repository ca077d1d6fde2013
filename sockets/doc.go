// Package sockets connects abrowser's processes over Unix sockets. It listens, connects,
// waits until a server accepts connections, and checks the user at the other end of a
// connection. It also locks files, identifies processes and waits until they end.
//
// There are three kinds of servers. A daemon serves the session of one task. A broker serves a
// browser that sessions share. A driver runs Playwright for several daemons.
//
// An endpoint ([home.Endpoint]) is the socket, the lock files and the log of one server. A
// server locks one of its endpoint's lock files for as long as it runs. This lock is the
// endpoint's lease.
//
// Package client sends requests, and sockets/server serves them. Verbs, errors and settings
// are defined in sockets/verbs and sockets/wire. This package starts no process.
//
// The invariant: only the process with an endpoint's lease ([Lease]) binds, replaces or removes
// the endpoint's socket file. The existence of a socket file or a lock file does not prove that
// a server is alive. Only a response of the server proves this. Daemons and brokers respond to a
// hello request ([wire.Hello]).
package sockets
