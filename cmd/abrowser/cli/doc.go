// Package cli is the command line. [Run] parses the arguments with package args, resolves the
// settings with package config, runs the command with package commands, and prints the answer:
// text for people, or one line of JSON. Help is generated from the declarations of the verbs.
//
// The package treats all verbs alike, except those that can read standard input: repl, batch, eval
// and auth save. Commands thin and abrowser use the package. Package roles uses [System] and [Fail].
//
// The invariant: [Run] returns the exit status, and no function of the package ends the process.
package cli
