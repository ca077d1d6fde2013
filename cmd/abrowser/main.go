// Command abrowser is a browser for many concurrent tasks: each task's commands drive the task's
// own page in one shared browser.
//
// This is the full program. Command thin contains only the command line, so it starts faster; it
// executes this program for commands that need more.
package main

import (
	"os"

	"github.com/abrowser/abrowser/cmd/abrowser/cli"
	"github.com/abrowser/abrowser/cmd/abrowser/roles"
)

func main() {
	program := roles.Program{System: cli.OS()}
	if handled, status := program.Role(os.Args[1:]); handled {
		os.Exit(status)
	}
	os.Exit(cli.Run(os.Args[1:], program.System, program))
}
