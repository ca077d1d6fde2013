// Package keeper implements the process `abrowser keeper`. It starts one browser and the
// broker, which is the process that speaks CDP with the browser, and restarts both.
//
// [Run] takes the lease of the browser's profile, a lock that the system releases when its
// holder has exited. It listens at the browser's socket, starts Chromium on a pipe, and starts
// the broker with the pipe's ends, the listening socket and the lease. The keeper reads and
// writes no CDP message. It starts another broker when the broker dies or sends no heartbeat,
// and another browser when the browser dies. If the keeper dies, the broker starts another
// keeper, which takes over (see package handover).
package keeper
