package verbs

import "github.com/abrowser/abrowser/sockets/wire"

// REPL runs the commands in standard input. Each line contains one command.
var REPL = wire.Verb[Empty, Empty]{Spec: wire.Spec{
	Name: "repl", NoPolicy: true, Group: groupSession, Short: "Run the commands that are typed or piped in, one a line",
	Long: "A line is a command without the word abrowser, or a JSON array of its words. The flags of repl apply to all lines. " +
		"All commands use one connection, and each prints its answer before the next line is read; with --json an answer is one line. " +
		"A command that fails does not end repl. The exit status is 1 if one has failed. " +
		"In a terminal, the tab key completes a word, and exit or Ctrl-D leaves repl and not the session.",
	Example: "abrowser --json repl", By: wire.ByCommand, NoStart: true,
}}
