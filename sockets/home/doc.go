// Package home finds abrowser's files: the user's root directory, and below it the
// socket, lock and log of each session's daemon, each browser's broker and each driver.
// It checks names, normalizes the settings that choose a browser, and saves in which
// browser a session's pages are.
//
// It opens no socket and takes no lock: package sockets does, at a [Endpoint] of this
// package. It imports sockets/wire alone.
//
// The invariant: every directory below the root belongs to the user and is closed to
// others, so that the directory protects what is in it, whatever a file's mode is.
package home
