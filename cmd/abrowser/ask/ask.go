// Package ask says how verbs are asked for by who is no command line: the words that
// package mcp, which serves a client, and package cli, which has them answered, have in
// common.
package ask

import (
	"context"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Asker has a verb answered as a command of the session would.
type Asker interface {
	// Ask returns the verb's output and what the reply says beside it. in is a JSON
	// object of the verb's fields, which Ask checks.
	Ask(ctx context.Context, session string, v wire.AnyVerb, in map[string]any) (out any, aside Aside, err error)
	// Where is the same for a session that is to be in such a browser: settings are
	// those of [wire.Settings], over what holds without them.
	Where(session string, settings map[string]any) (Asker, error)
}

// Aside is what a reply says beside the output.
type Aside struct {
	Warnings []string
	Records  []wire.Record // what policies decided
}
