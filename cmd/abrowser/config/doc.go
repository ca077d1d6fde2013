// Package config resolves what a command line leaves open: output, browser settings, session,
// agent and owner, each from flags, variables or configuration files.
//
// It parses no command line (package args does) and starts or asks nothing. Packages args and
// cli use it, and commands for the fields of the verbs that a variable may set.
//
// Its invariant: a value is resolved once. An empty variable counts as not set, but for the
// session's, where it is an error.
package config
