// Package broker is the process `abrowser broker`, the only one that reads and writes the
// CDP messages of a browser.
//
// [Serve] runs package patches around the connection to the browser, which a keeper has
// handed over (see package handover). It serves CDP for each session over WebSocket, and
// the verbs that package verbs declares for a broker. What a session owns is written to
// disk before it is used, so that a new broker continues where a killed one stopped.
//
// The package starts no daemon and drives no page: it passes messages on.
//
// One goroutine owns the multiplexer and all other state. Neither it nor the goroutine that
// reads from the browser ever waits for a client.
package broker
