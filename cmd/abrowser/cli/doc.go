// Package cli is the command line: it turns arguments into one request of a verb
// declared in sockets/wire, has the session's daemon or the browser's broker
// answer it, and prints the answer.
//
// Commands, flags, help and completion are made from the declarations. A command
// line is read in three steps: find looks for the verb's words, arrange sorts what
// is left into flags and texts, and cobra parses the flags of that one command.
// The package knows no verb's meaning, but for the few that the command line
// answers itself and the rules that only the caller can apply: paths are resolved
// in the caller's directory, and files are written with the caller's rights.
//
// It is the only package with cobra. By itself it asks sockets and no more; what
// takes more is [Behind] it, so that a small program can have the command line alone.
// Nothing here exits the process: [Run] returns the status.
package cli
