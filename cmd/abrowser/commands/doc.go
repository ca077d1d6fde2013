// Package commands runs commands for the command line and for the clients of the MCP server. A
// command is a verb, which package sockets/verbs declares, with its parameters. It acts for an
// agent: the session of a task, or an MCP client, whose id is secret. A session belongs to one
// agent or to itself, and other agents may only read it.
//
// Each session has a daemon, and each browser has a broker, which all daemons of the browser share.
// [Runner.Do] sends most verbs to the session's daemon or to a broker, and starts the daemon if the
// verb needs one. Do answers a verb itself if the verb concerns several sessions or the
// installation, or if the session's daemon does not run or does not respond. The declaration of a
// verb says which of these cases apply, and handlers.go lists the handlers. The package parses no
// command line and prints nothing.
//
// Packages cli, mcp and roles use it. The package itself only sends requests over sockets. For
// everything else it calls a [FullProgram], so that a small program can consist of the command line
// alone. The invariant: a request that may have changed something is not sent again.
package commands
