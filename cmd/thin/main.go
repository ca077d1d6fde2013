// Command thin is the executable abrowser that people run. It contains only the command line, which
// sends requests to a session's daemon or to a browser's broker. Therefore it starts fast.
//
// Some commands need more, for example to start a daemon. For them, thin replaces itself with the
// full program by execve, so arguments, environment and standard input stay the same. The full
// program is built from cmd/abrowser. `just build` puts it into the same directory as thin, under
// the name abrowserd.
//
// Most of the time of a short command is the start of its process, and most of the time of the
// start is spent on linked packages.
package main

import (
	"os"

	"github.com/abrowser/abrowser/cmd/abrowser/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:], cli.OS(), &thin{args: os.Args[1:]})) }
