package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// closeSome ends those of the sessions with a daemon that the line asks for. One that
// does not end, or is another agent's, is skipped with a warning.
func (a *app) closeSome(ctx context.Context, l line) (any, error) {
	prefix := l.text("prefix")
	idle, _ := l.in["idleMs"].(int)
	if prefix == "" && idle == 0 && !l.on("all") {
		return nil, wire.Errorf(wire.CodeBadInput, "which sessions are to be closed is not said").
			WithHint("abrowser session close --prefix task_ --idle-ms 600000; --all is all of them")
	}
	entries, err := a.entries(ctx)
	if err != nil {
		return nil, err
	}
	living, err := a.endings(ctx, false, l.on("force"))
	if err != nil {
		return nil, err
	}
	out := &verbs.SessionCloseOut{Closed: []string{}, Skipped: []string{}}
	chosen := slices.DeleteFunc(living, func(e ending) bool {
		skipped := !strings.HasPrefix(e.session, prefix) ||
			idle > 0 && time.Since(entries[e.session].LastActivityAt) < time.Duration(idle)*time.Millisecond
		if skipped {
			out.Skipped = append(out.Skipped, e.session)
		}
		return skipped
	})
	endAtOnce(ctx, chosen)
	if err := interruption(ctx, ctx.Err()); err != nil && !slices.ContainsFunc(chosen, ending.mayBeDone) {
		return nil, err
	}
	var others []string
	for _, e := range chosen {
		if e.gone {
			continue
		}
		if errors.Is(e.err, wire.CodeOwnership) {
			others = append(others, e.session)
			continue
		}
		if e.err != nil {
			a.printer.warn("session " + e.session + " goes on: " + e.err.Error())
			out.Skipped = append(out.Skipped, e.session)
			continue
		}
		out.Closed = append(out.Closed, e.session)
	}
	a.warnOfSkipped(others, "the same with --force")
	out.Skipped = append(out.Skipped, others...)
	slices.Sort(out.Skipped)
	return out, nil
}
