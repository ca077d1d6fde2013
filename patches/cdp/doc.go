// Package cdp reads and writes the messages of the Chrome DevTools Protocol (CDP) for package
// patches.
//
// The two directions are treated differently:
//
//   - [ParseRequest] reads a client's message completely and strictly. If it accepts a message,
//     there is only one way to read the id, the method, the session and the extent of the params.
//     So Chromium reads the same request as the rules of package patches.
//   - [ParseMessage] reads a message of the browser. It relies on the order of the members and on
//     the spacing that Chromium uses, and reads only the beginning and the end of the message. So
//     the cost does not depend on the size of the message.
//
// The package treats all methods alike, and does not track targets, clients or connections. It
// imports only the standard library. All functions are safe for concurrent use; a [Message] refers
// to the bytes from which it was parsed.
package cdp
