// Command thin is the abrowser that starts fast: the command line, which sends requests to a
// session's daemon or to the browser, and nothing else. For what takes more it executes the
// full program (cmd/abrowser), which `just build` puts beside it as abrowserd, in its own
// place: with the same arguments, environment and input.
//
// Starting a program is most of what a short command costs, and what is linked into the
// program is most of its start.
package main

import (
	"os"

	"github.com/abrowser/abrowser/cmd/abrowser/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:], cli.OS(), &thin{args: os.Args[1:]})) }
