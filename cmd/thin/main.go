// Command front is the abrowser that is quick to start: the command line, which asks
// a session's daemon or the browser, and nothing else. What takes more it gives to the
// whole program (cmd/abrowser), which `just build` puts beside it as abrowserd: the
// process becomes that one, with the same arguments, environment and input.
//
// A program's start is most of what a short command costs, and what is linked into it
// most of its start.
package main

import (
	"os"

	"github.com/abrowser/abrowser/cmd/abrowser/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:], cli.OS(), &front{args: os.Args[1:]})) }
