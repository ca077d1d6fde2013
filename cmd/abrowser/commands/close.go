package cli

import (
	"context"
	"errors"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// closeIdle ends a session that has no daemon: what is left of it are tabs, which
// its broker releases or closes. Without a broker there is nothing to end.
func (a *app) closeIdle(ctx context.Context, l line) (any, error) {
	released, err := a.release(ctx, a.session, l.on("page"), false)
	return &verbs.CloseOut{Closed: true, Kept: released.Kept, Discarded: released.Discarded}, err
}

// release tells every running broker that a session without a daemon ends.
// With force it ends whosever it is.
func (a *app) release(ctx context.Context, session string, page, force bool) (verbs.ReleaseOut, error) {
	if !force {
		if err := a.mayRelease(ctx, session); err != nil {
			return verbs.ReleaseOut{}, err
		}
	}
	page = page || a.behind.ClosesAtEnd(session)
	all, err := askWithin(ctx, a, margin, verbs.BrokerRelease, verbs.ReleaseIn{Session: session, Page: page, Force: true})
	if errors.Is(err, wire.CodeInterrupted) {
		return verbs.ReleaseOut{}, err
	}
	var sum verbs.ReleaseOut
	for _, one := range all {
		sum.Kept += one.Kept
		sum.Closed += one.Closed
		sum.Discarded += one.Discarded
	}
	har, failed := a.behind.FinishRecording(session)
	switch {
	case failed != nil:
		a.printer.warn(failed.Error())
	case har != "":
		a.printer.warn("the requests that were recorded are in " + har)
	}
	return sum, errors.Join(err, a.root.Forget(session))
}
