// Package wire defines the protocol on abrowser's sockets: verbs and their fields,
// requests and replies, errors, settings and the handshake.
//
// A [Verb] is declared once, in package verbs, with structs whose tags describe the fields.
// This package reads the tags, decodes and checks inputs, and encodes replies. The command
// line, the MCP tools, the help and COMMANDS.md are derived from the same declaration.
//
// The package imports only the standard library and does no input or output. Client,
// daemon and broker share this package and package verbs, and nothing else.
package wire
