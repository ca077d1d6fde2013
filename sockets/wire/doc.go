// Package wire declares what is said over abrowser's sockets: the verbs, their
// inputs and outputs, the errors, the settings and the handshake.
//
// A verb is declared here once, as a [Verb] with tagged structs. The command
// line, the request, the MCP tool, the help and the README's table are all made
// from that declaration, so that adding a verb is one declaration, one handler
// and one transcript.
//
// The package imports the standard library alone and does no input or output:
// it does not know where sockets are, who listens, or what a browser is. Client,
// daemon and broker meet only here.
package wire
