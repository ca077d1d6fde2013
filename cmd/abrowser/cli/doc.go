// Package cli is the command line: it has the arguments parsed (package args), the environment
// resolved (config) and the command run (commands), and prints the answer: text for people, or
// one line of JSON. Help is made from the declarations of the verbs.
//
// It knows no verb's meaning. What depends on standard input is here: the commands of a batch
// and the script of eval. Commands thin and abrowser use it, and package roles its system and
// its way to print an error.
//
// Its invariant: [Run] returns the exit status, and nothing here ends the process.
package cli
