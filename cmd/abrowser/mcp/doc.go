// Package mcp serves abrowser's verbs to an MCP client over standard input and output.
//
// It offers a tool for every verb, generated from the verb's declaration, and more tools with names
// that other browser tools use. A tool does the same as the command of its verb, since package
// commands runs both. The server stores nothing about pages. About sessions it stores only caches
// and the current session. A call that names no session uses the current one.
//
// Package roles uses the package, which parses no command line and opens no socket. The invariant:
// a call that names a session acts on that session or fails.
package mcp
