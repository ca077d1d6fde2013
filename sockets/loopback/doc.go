// Package loopback serves HTTP to the programs of this user on a TCP port of 127.0.0.1. It is for
// clients that cannot connect to a Unix socket, such as other programs and web browsers.
//
// A TCP port is open to every process of the machine and, through a browser, to every web page.
// A [Server] therefore passes a request to its handler only if all of these are true:
//
//   - The path begins with the server's token of 128 random bits.
//   - The Host header is an IP address or localhost. Requests of a web page whose domain name
//     resolves to 127.0.0.1 are therefore refused.
//   - The Origin header, if the request has one, is the server's own origin, or that of Chromium's
//     DevTools if the server's options allow it.
//   - The process at the other end belongs to this process's user. On Linux the table of TCP
//     sockets in /proc contains the user. macOS has no documented way to find the user, so the
//     token alone keeps other users out there.
//
// The package does not depend on what the handler serves, and it writes the token to no file.
//
// The invariant: no log line and no response contains the token, and the token is of no use after
// [Server.Serve] has returned.
package loopback
