// Package keeper is the process `abrowser keeper`: it holds one browser, and the broker
// that serves it.
//
// [Run] takes the lease of the browser's profile, listens at its socket, starts Chromium on
// a pipe, and starts the broker with the pipe's ends, the listening socket and the lease.
// It reads and writes no CDP message. It starts the broker again when the broker dies or is
// silent, and the browser when that dies. If the keeper dies, the broker starts another one,
// which takes over (see package handover).
package keeper
