// Package cdpserver serves the CDP endpoint of one session on a TCP port of 127.0.0.1, as Chromium's
// --remote-debugging-port does for a whole browser. It is the command `abrowser cdp`.
//
// Package loopback keeps web pages and other users out. The broker of the browser applies the rules
// that limit a client to its session. So this package forwards WebSockets to the broker byte by
// byte, each on a connection of its own, and decides nothing about CDP messages. The HTTP requests
// below /json are answered with what the broker tells a client of the session.
//
// With a program to run, the server runs as long as the program. It passes the program's input,
// output, signals and exit status through.
//
// The invariant: the server stores and buffers no message, so that a client that does not read
// delays only itself.
package cdpserver
