// Package args parses the command line: [Parse] turns arguments into one verb of
// sockets/verbs and its parameters.
//
// It reads in three steps: resolve finds the verb's words, between which global flags may
// stand; normalize separates the rest into flags and texts; bind assigns the texts to the
// verb's arguments. It knows no verb: names, flags and arguments are those of the declarations
// and of package config. It reads no file or variable and prints nothing.
//
// Package cli uses it, for its own arguments and for the commands of a batch. Its invariant:
// the parameters are exactly those that the caller gave; the server adds the defaults.
package args
