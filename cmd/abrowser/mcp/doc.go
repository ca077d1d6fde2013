// Package mcp serves abrowser's verbs to an MCP client over standard input and output.
//
// It makes a tool of every verb from the verb's declaration, and adds tools under the names
// that users of other browser tools know. A tool does what the command does: package commands
// runs it. Of pages and sessions the server only keeps which session a call without one is for.
//
// Package roles uses it. It parses no command line and opens no socket. Its invariant: a call
// that names a session reaches that session or none.
package mcp
