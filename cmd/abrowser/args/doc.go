// Package args parses the command line: [Parse] turns arguments into a verb and its parameters. A
// verb is an operation that package sockets/verbs declares, such as "click" or "tab new".
//
// Parsing has three steps. First, resolve finds the words that name the verb; global flags may
// stand between these words. Then, normalize separates the remaining tokens into flags and texts.
// Finally, bind assigns the texts to the verb's positional arguments. The code contains no list
// of verbs: names, flags and arguments come from the declarations, and global flags from package
// config. The package reads no file or variable and prints nothing.
//
// Package cli parses the process's arguments and the commands of a batch with package args. The
// invariant: the parameters in the result are exactly those that the caller gave. Defaults are not
// added here, since the server adds them.
package args
