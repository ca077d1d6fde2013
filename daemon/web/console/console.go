// Package console reads and clears what the session's pages have logged, and the errors that they
// did not catch. The driver records both: see observe.js of launcher/driver. The records end with
// the session's connection. After that, a new daemon or driver begins with the messages that
// Chromium has kept for the documents that the pages show at that time.
package console

import (
	"context"

	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// Messages lists the messages. If in.Clear is set, it removes them instead.
func Messages(ctx context.Context, at *direct.Driver, in verbs.ConsoleIn) (verbs.ConsoleOut, error) {
	out := verbs.ConsoleOut{Messages: []verbs.ConsoleMessage{}}
	var err error
	out.Dropped, out.Cleared, err = read(ctx, at, "messages", in.Clear, &out.Messages)
	return out, err
}

// Errors lists the errors. If in.Clear is set, it removes them instead.
func Errors(ctx context.Context, at *direct.Driver, in verbs.ConsoleIn) (verbs.ErrorsOut, error) {
	out := verbs.ErrorsOut{Errors: []verbs.PageError{}}
	var err error
	out.Dropped, out.Cleared, err = read(ctx, at, "errors", in.Clear, &out.Errors)
	return out, err
}

// read stores the records of a kind in entries. If clear is true, it removes the records instead.
func read[T any](ctx context.Context, at *direct.Driver, kind string, clear bool, entries *[]T) (dropped int, cleared *int, err error) {
	if clear {
		if err := at.MaySet(ctx); err != nil {
			return 0, nil, err
		}
	}
	var answer struct {
		Entries []T `json:"entries"`
		Dropped int `json:"dropped"`
		Cleared int `json:"cleared"`
	}
	if err := at.Ask("Abrowser.console", map[string]any{"kind": kind, "clear": clear}, &answer); err != nil {
		return 0, nil, err
	}
	if clear {
		return 0, &answer.Cleared, nil
	}
	if answer.Entries != nil {
		*entries = answer.Entries
	}
	return answer.Dropped, nil, nil
}
