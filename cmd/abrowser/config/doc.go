// Package config resolves the settings that all commands have in common: the output format, the
// browser settings, the session, and the agent and process for which the session runs. The
// values come from flags, environment variables and configuration files.
//
// Package args parses the flags. Package config starts no process and sends no request. Packages
// args and cli use it, and so does package commands, for fields of verbs that a variable may set.
//
// Its invariant: a value is resolved once. An empty variable counts as not set. An empty variable
// for the session is an error.
package config
