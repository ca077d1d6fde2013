// Package config resolves the settings that all commands have in common: the output format, the
// browser settings, the session, and the agent and process for which the session runs. The values
// come from flags, environment variables and configuration files.
//
// Package args parses the flags. Package config starts no process and sends no request. Packages
// args and cli use it, and so does package commands, for fields of verbs that a variable may set.
//
// The invariant: for every value, the sources are searched in the same order (see [Resolve]). An
// empty variable counts as not set. The only exception is the session, whose name must not be
// empty.
package config
