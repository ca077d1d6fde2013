// Package mcp serves abrowser's verbs to an MCP client over standard input and output.
//
// It offers a tool for every verb, generated from the verb's declaration, and more tools with
// names that other browser tools use. A tool does the same as the command of its verb, since
// package commands runs both. The server stores no state of pages. Its only state of sessions is
// the current session, for calls that name no session, and caches.
//
// Package roles uses the package, which parses no command line and opens no socket. Its
// invariant: a call that names a session acts on that session or fails.
package mcp
