// Package cdp reads and writes the messages of the Chrome DevTools Protocol
// (CDP) for package patches.
//
// The two directions are treated differently:
//
//   - [ParseRequest] reads a client's message completely and strictly. If it accepts a
//     message, the id, the method, the session and the extent of the params can be read in
//     only one way. So Chromium reads the same request as the rules of package patches.
//   - [ParseMessage] relies on the order and the spacing in which Chromium writes a
//     message, and reads only its beginning and its end. The cost does not depend on the
//     size of the message.
//
// The package treats all methods alike and has no targets, clients or connections. It
// imports only the standard library. All functions are safe for concurrent use; a
// [Message] refers to the bytes that it was parsed from.
package cdp
