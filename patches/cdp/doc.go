// Package cdp reads and writes the messages of the Chrome DevTools Protocol
// (CDP) for package patches.
//
// The two directions are treated differently:
//
//   - [ParseRequest] reads a client's message completely and strictly. A request
//     that passes has a single reading, so a rule that was applied to it holds for
//     the text that Chromium receives.
//   - [ParseMessage] trusts Chromium's spelling and reads only the beginning and
//     the end of a message. The cost does not depend on the size of the payload.
//
// The package decides nothing about a method and knows no target, client or
// connection. It uses the standard library alone. All functions are safe for
// concurrent use; a [Message] refers to the bytes that it was parsed from.
package cdp
