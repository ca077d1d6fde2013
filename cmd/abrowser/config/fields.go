package config

import (
	"slices"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Output chooses how answers are printed. The zero Output means text of any length.
type Output struct {
	JSON              bool `json:"json,omitzero" env:"JSON" help:"answer as one line of JSON"`
	MaxOutput         int  `json:"maxOutput,omitzero" env:"MAX_OUTPUT" min:"0" help:"characters of text to print at most; 0 prints all"`
	ContentBoundaries bool `json:"contentBoundaries,omitzero" env:"CONTENT_BOUNDARIES" help:"mark where text of the page begins and ends, by a random word that the page cannot know"`
}

// identityInput contains those of [Fields] that no configuration file can set. For example,
// Session and OwnerPID describe the caller, and Config chooses the file.
type identityInput struct {
	Session     string `json:"session,omitzero" env:"SESSION" help:"the session, usually a task's id"`
	Config      string `json:"config,omitzero" env:"CONFIG" file:"name" help:"a configuration file to read instead of the usual ones"`
	OwnerPID    int    `json:"ownerPid,omitzero" flag:"owner-pid" env:"OWNER_PID" min:"1" help:"a process; when it ends the session ends, as by close"`
	SessionWarn *int   `json:"sessionWarn,omitzero" flag:"-" env:"SESSION_WARN" min:"0" help:"live sessions above which the next one is started with a warning; 0 is never"`
	Version     bool   `json:"version,omitzero" flag:"version,V" help:"print the version"`
	Help        bool   `json:"help,omitzero" flag:"help,h" help:"print what a command takes"`
}

func identityFields() []wire.Field { return wire.Verb[identityInput, verbs.Empty]{}.Fields() }
func outputFields() []wire.Field   { return wire.Verb[Output, verbs.Empty]{}.Fields() }

// Fields returns the fields that every command takes, as flags or variables.
func Fields() []wire.Field {
	return slices.Concat(identityFields(), outputFields(), wire.SettingFields())
}

// FileKeys returns the keys that a configuration file may have.
func FileKeys() []string {
	keys := append(projectKeys(), "contentBoundaries")
	for _, f := range wire.SettingFields() {
		keys = append(keys, f.Name)
	}
	return keys
}

// projectKeys returns the keys that the working directory's file may have. This file may come from
// a cloned repository, so it cannot choose which browser runs.
func projectKeys() []string {
	keys := []string{"$schema", "timeout"}
	for _, f := range outputFields() {
		if f.Name != "contentBoundaries" { // a repository must not switch them off
			keys = append(keys, f.Name)
		}
	}
	return keys
}
