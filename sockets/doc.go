// Package sockets connects abrowser's processes over Unix sockets: it acquires the lease
// of an endpoint, listens, connects, waits until a server accepts, and checks the user at
// the other end of a connection. It also identifies processes and waits for their end.
//
// The files are at the endpoints of package home. Requests are sent by package client and
// served by sockets/server; verbs, errors and settings are defined in sockets/verbs and
// sockets/wire. This package starts no process.
//
// The invariant: only the holder of an endpoint's lease binds, replaces or removes its
// socket file. Neither a socket file nor a lock file proves that a process is alive; a
// response to hello does.
package sockets
