// Package mcp serves abrowser's verbs to an MCP client over standard input and
// output.
//
// It makes a tool of every verb (package sockets/wire) by the verb's own
// declaration, and keeps beside them the names that users of other browser tools
// know. What a tool does is what the command does: an [ask.Asker], which the command
// line is, has it answered by the session's daemon. Nothing of a page or a session
// is kept here but which session a call without one means.
//
// It refuses to know cobra, daemons and sockets. Its invariant: a call that names a
// session reaches that session or none.
package mcp
