// Package commands runs commands: a verb with its parameters, for the command line and for the
// clients of the MCP server alike.
//
// [Runner.Do] sends most verbs to the session's daemon or to a browser's broker, and starts the
// daemon if the verb needs one. It answers verbs that concern several sessions or the
// installation itself, and those of a session whose daemon does not run or does not respond:
// handlers.go lists them, the flags of the declarations decide. It parses no command line and
// prints nothing.
//
// Packages cli, mcp and roles use it. By itself it only uses sockets; for more it has a
// [FullProgram], so that a small program can have the command line alone. Its invariant: a
// request that may have changed something is sent once.
package commands
