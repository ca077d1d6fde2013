package cli

import (
	"encoding/json"
	"slices"

	"github.com/spf13/pflag"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Output chooses how answers are printed. Zero means text, uncut.
type Output struct {
	JSON      bool `json:"json,omitzero" env:"JSON" help:"answer as one line of JSON"`
	MaxOutput int  `json:"maxOutput,omitzero" env:"MAX_OUTPUT" min:"0" help:"characters of text to print at most; 0 prints all"`
}

// Who says whose command this is, and where its configuration lies. None of it can
// stand in a configuration file.
type Who struct {
	Session     string `json:"session,omitzero" env:"SESSION" help:"the session, usually a task's id"`
	Config      string `json:"config,omitzero" env:"CONFIG" file:"name" help:"a configuration file to read instead of the usual ones"`
	OwnerPID    int    `json:"ownerPid,omitzero" flag:"owner-pid" env:"OWNER_PID" min:"1" help:"a process; when it ends the session ends, as by close"`
	SessionWarn int    `json:"sessionWarn,omitzero" flag:"-" env:"SESSION_WARN" min:"0" help:"live sessions above which the next one is started with a warning; 0 is never"`
	Version     bool   `json:"version,omitzero" flag:"version,V" help:"print the version"`
	Help        bool   `json:"help,omitzero" flag:"help,h" help:"print what a command takes"`
}

func whoFields() []wire.Field    { return wire.Verb[Who, verbs.Empty]{}.Fields() }
func outputFields() []wire.Field { return wire.Verb[Output, verbs.Empty]{}.Fields() }

// globalFields are the flags that every command takes.
func globalFields() []wire.Field {
	return slices.Concat(whoFields(), outputFields(), wire.SettingFields())
}

// globalFlags declares them, each keeping its value in into.
func globalFlags(into members) *pflag.FlagSet {
	flags := pflag.NewFlagSet("abrowser", pflag.ContinueOnError)
	flags.SortFlags = false
	addFlags(flags, globalFields(), into)
	return flags
}

// fill decodes members as T.
func fill[T any](given members) (T, error) {
	var t T
	if len(given) == 0 {
		return t, nil
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(raw, &t)
}
