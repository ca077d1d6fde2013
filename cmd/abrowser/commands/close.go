package commands

import (
	"context"
	"errors"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// closeIdle ends a session that has no daemon. The broker closes the session's tabs, or releases
// them, which leaves them open for review. If no broker runs, the session has no tabs, and
// closeIdle only writes the HAR file of a recording and removes the session's files.
func (x *run) closeIdle(ctx context.Context, in verbs.CloseIn) (*verbs.CloseOut, error) {
	released, err := x.release(ctx, x.session, in.Page, false)
	return &verbs.CloseOut{Closed: true, Kept: released.Kept, Discarded: released.Discarded}, err
}

// release ends a session that has no daemon, in every running broker. If page is true, or if
// [FullProgram.ClosesAtEnd] requires it, the brokers close the session's tabs. Otherwise the tabs
// stay open for review. release also writes the HAR file of a recording and removes the files of
// the session. Unless force is true, it returns an error if [run.mayRelease] does.
func (x *run) release(ctx context.Context, session string, page, force bool) (verbs.ReleaseOut, error) {
	if !force {
		if err := x.mayRelease(ctx, session); err != nil {
			return verbs.ReleaseOut{}, err
		}
	}
	page = page || x.full.ClosesAtEnd(session)
	all, err := askWithin(ctx, x, margin, verbs.BrokerRelease, verbs.ReleaseIn{Session: session, Page: page, Force: true})
	if errors.Is(err, wire.CodeInterrupted) {
		return verbs.ReleaseOut{}, err
	}
	var sum verbs.ReleaseOut
	for _, one := range all {
		sum.Kept += one.Kept
		sum.Closed += one.Closed
		sum.Discarded += one.Discarded
	}
	har, failed := x.full.FinishRecording(session)
	switch {
	case failed != nil:
		x.warn(failed.Error())
	case har != "":
		x.warn("the requests that were recorded are in " + har)
	}
	return sum, errors.Join(err, x.root().Forget(session), sockets.SweepSession(x.root(), session))
}
