// Command abrowser is a browser for many concurrent tasks: each task's commands
// drive the task's own page in one shared browser.
//
// It is the whole program. Command front is its command line alone, for a quicker
// start.
package main

import (
	"os"

	"github.com/abrowser/abrowser/cmd/abrowser/behind"
	"github.com/abrowser/abrowser/cmd/abrowser/cli"
)

func main() {
	var whole behind.Program
	if handled, status := whole.Role(os.Args[1:], cli.OS()); handled {
		os.Exit(status)
	}
	os.Exit(cli.Run(os.Args[1:], cli.OS(), whole))
}
