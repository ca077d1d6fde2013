package commands

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// closeSome ends the sessions that have a daemon and meet the conditions of the command. If
// another agent owns such a session, or the session cannot be ended, closeSome skips it and adds a
// warning.
func (x *run) closeSome(ctx context.Context, in verbs.SessionCloseIn) (*verbs.SessionCloseOut, error) {
	if in.Prefix == "" && in.IdleMS == 0 && !in.All {
		return nil, wire.Errorf(wire.CodeBadInput, "no sessions are selected").
			WithHint("abrowser session close --prefix task_ --idle-ms 600000; --all is all of them")
	}
	entries, err := x.entries(ctx)
	if err != nil {
		return nil, err
	}
	living, err := x.endings(ctx, false, in.Force)
	if err != nil {
		return nil, err
	}
	out := &verbs.SessionCloseOut{Closed: []string{}, Skipped: []string{}}
	chosen := slices.DeleteFunc(living, func(e ending) bool {
		skipped := !strings.HasPrefix(e.session, in.Prefix) ||
			in.IdleMS > 0 && time.Since(entries[e.session].LastActivityAt) < milliseconds(in.IdleMS)
		if skipped {
			out.Skipped = append(out.Skipped, e.session)
		}
		return skipped
	})
	endTogether(ctx, chosen)
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
			x.warn("session " + e.session + " goes on: " + e.err.Error())
			out.Skipped = append(out.Skipped, e.session)
			continue
		}
		out.Closed = append(out.Closed, e.session)
	}
	x.warnOfSkipped(others, "the same with --force")
	out.Skipped = append(out.Skipped, others...)
	slices.Sort(out.Skipped)
	return out, nil
}
