// Package sockets owns where abrowser's files are and how its processes find and
// reach one another: the root directory and who may own it, the names of
// sessions, the leases that say who serves one, the sockets themselves, and how a
// request is sent over them. Package sockets/server answers it.
//
// It refuses to know what is said: verbs, errors and settings are declared in
// sockets/wire, answered by daemon and broker, and asked for by client and
// launcher. It starts no process.
//
// The invariant: a socket file is bound, replaced and removed only by the holder
// of the lease beside it. Neither a socket file nor a lock file proves that
// anybody lives; an answered hello does.
package sockets
