// Package broker is the process `abrowser broker`, the only one that reads and writes the
// CDP messages of a browser.
//
// [Serve] runs package patches around the browser's pipe, which a keeper has handed over
// (see package handover). It serves CDP for each session over WebSocket, and the verbs that
// wire declares for a broker. What a session owns is on disk before it is used, so that a
// new broker continues where a killed one stopped.
//
// The package starts no daemon and drives no page: it passes messages on.
//
// One goroutine owns the state; the goroutine that reads the pipe never waits for a client.
package broker
