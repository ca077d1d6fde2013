// Package wire defines the protocol on abrowser's sockets: verbs and their fields,
// requests and replies, errors, settings and the handshake.
//
// The project uses these terms:
//
//   - A verb is an operation, such as click: a command of the command line, and a tool of the
//     MCP server.
//   - A session is the work of one task: its tabs, and the settings for them. A person or
//     program names it.
//   - A daemon is the process that serves one session.
//   - A broker is the process that serves one browser, which several sessions can share.
//   - An agent is an owner of sessions: an MCP client, or a session that the command line
//     uses.
//   - The front tab is the tab that the browser's window shows. A screenshot locks it.
//   - A policy decides how a page's dialogs, permission requests and file pickers are
//     answered.
//
// A [Verb] is declared once, in package verbs, with structs whose tags describe the fields.
// This package reads the tags, decodes and checks inputs, and encodes replies. The command
// line, the MCP tools, the help and COMMANDS.md are derived from the same declaration.
//
// The package imports only the standard library, and opens no file or connection. The types of
// all requests and replies between clients, daemons and brokers are in this package and in
// package verbs.
package wire
