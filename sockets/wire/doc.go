// Package wire defines the protocol on abrowser's sockets: verbs and their fields,
// requests and replies, errors, settings and the handshake.
//
// A [Verb] is declared once, with tagged structs, in package verbs. This package
// reads the tags, checks and decodes inputs, and gives a reply its form. The command
// line, the MCP tools, the help and the tables of the README are made from the same
// declaration.
//
// The package imports the standard library alone and does no input or output:
// it does not know where sockets are, who listens, or what a browser is. Client,
// daemon and broker share only this package and package verbs.
package wire
