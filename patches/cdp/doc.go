// Package cdp reads and writes the messages of the Chrome DevTools Protocol
// (CDP) for package patches.
//
// The two directions are treated differently:
//
//   - [ParseRequest] reads a client's message completely and strictly. A message that
//     it accepts can be read in only one way, so that Chromium reads the same request as
//     the rules of package patches.
//   - [ParseMessage] trusts Chromium's spelling and reads only the beginning and
//     the end of a message. The cost does not depend on the size of the payload.
//
// The package treats all methods alike and has no targets, clients or connections. It
// imports only the standard library. All functions are safe for concurrent use; a
// [Message] refers to the bytes that it was parsed from.
package cdp
