// Command abrowser is a browser for many concurrent tasks: each task's commands
// drive the task's own page in one shared browser.
package main

import (
	"os"

	"github.com/abrowser/abrowser/cmd/abrowser/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:], cli.OS())) }
