// Command thin is the executable abrowser that people run. It contains only the command line,
// which sends requests to a session's daemon or to a browser's broker, and starts fast. A command
// that needs more is handed to the full program, cmd/abrowser, which `just build` puts beside
// it as abrowserd: thin replaces itself by abrowserd with execve, so arguments, environment and
// standard input stay the same.
//
// Most of the time of a short command is the start of its process, and most of the time of the
// start is spent on linked packages.
package main

import (
	"os"

	"github.com/abrowser/abrowser/cmd/abrowser/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:], cli.OS(), &thin{args: os.Args[1:]})) }
