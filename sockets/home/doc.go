// Package home finds abrowser's files. The files of a user are below one directory, the
// root. An [Endpoint] is the files of one server. A server is the daemon of a session, the
// broker of a browser, or a driver, which runs Playwright for several daemons. The package also
// checks names, normalizes the settings that choose a browser, and saves which browser contains
// a session's pages.
//
// The package opens no socket and acquires no lock; package sockets does, at an [Endpoint].
// The only package of the project that it imports is sockets/wire.
//
// The invariant: every directory below the root belongs to the user and is closed to other
// users. A directory therefore protects the files in it, whatever their modes are.
package home
