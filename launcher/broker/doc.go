// Package broker implements the process `abrowser broker`, the only process that reads and
// writes the CDP messages of a browser.
//
// [Serve] runs the CDP multiplexer of package patches on the connection to the browser, which a
// keeper has handed over (see package handover). It serves CDP for each session over WebSocket,
// and the verbs that package verbs declares for a broker. It records on disk what each session
// owns, before the session can use it, so that a new broker continues where a killed one stopped.
//
// The package starts no daemon and drives no page: it passes messages on.
//
// One goroutine owns the multiplexer and all other state. Neither this goroutine nor the one
// that reads from the browser ever waits for a client.
package broker
