// Package cdpserver serves the CDP endpoint of one session on a TCP port of 127.0.0.1, as
// Chromium's --remote-debugging-port does for a whole browser. It implements the command `abrowser
// cdp`.
//
// Package loopback keeps web pages and other users out. The broker of the browser applies the rules
// that limit a client to its session. So this package forwards each WebSocket to the broker byte by
// byte, over a connection of its own, and decides nothing about CDP messages. It answers HTTP
// requests for paths below /json itself, with the results of CDP commands that it sends to the
// broker.
//
// If the command has a program to run, the server runs as long as the program. It passes the
// program's input, output, signals and exit status through.
//
// The invariant: the server stores and buffers no message, so that a client that does not read
// delays only itself.
package cdpserver
