// Package args parses the command line: [Parse] turns arguments into a verb and its parameters.
// A verb is an operation that package sockets/verbs declares, such as "click" or "tab new".
//
// Parsing has three steps: resolve finds the words that name the verb, between which global
// flags may stand; normalize separates the remaining tokens into flags and texts; bind assigns
// the texts to the verb's positional arguments. The code contains no list of verbs: names, flags
// and arguments come from the declarations, and global flags from package config. The package
// reads no file or variable and prints nothing.
//
// Package cli uses it for the process's arguments and for the commands of a batch. Its
// invariant: the parameters are exactly those that the caller gave; the server adds the defaults.
package args
