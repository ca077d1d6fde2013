package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// closeIdle ends a session that has no daemon: what is left of it are tabs, which
// its broker releases or closes. Without a broker there is nothing to end.
func (a *app) closeIdle(ctx context.Context, l line) (any, error) {
	released, err := a.release(ctx, a.session, l.on("page"), false)
	return &wire.CloseOut{Closed: true, Kept: released.Kept, Discarded: released.Discarded}, err
}

// release tells every running broker that a session without a daemon ends.
// With force it ends whosever it is.
func (a *app) release(ctx context.Context, session string, page, force bool) (wire.ReleaseOut, error) {
	if !force {
		if err := a.mayRelease(ctx, session); err != nil {
			return wire.ReleaseOut{}, err
		}
	}
	page = page || a.behind.ClosesAtEnd(session)
	all, err := askWithin(ctx, a, margin, wire.BrokerRelease, wire.ReleaseIn{Session: session, Page: page, Force: true})
	var sum wire.ReleaseOut
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

// ending is one session that is being closed with all others.
type ending struct {
	session string
	end     func(context.Context) (wire.ReleaseOut, error)
	left    wire.ReleaseOut
	gone    bool // somebody else has ended it meanwhile
	err     error
}

// closeAll ends all sessions at once: those with a daemon through it, and with
// --page also those that left tabs.
func (a *app) closeAll(ctx context.Context, l line) (any, error) {
	endings, err := a.endings(ctx, l.on("page"))
	if err != nil {
		return nil, err
	}
	endAtOnce(ctx, endings)
	if err := a.behind.Sweep(); err != nil {
		a.printer.warn("removing what killed drivers left: " + err.Error())
	}
	if err := interruption(ctx, ctx.Err()); err != nil {
		return nil, err
	}
	closed := 0
	out := &wire.CloseOut{Sessions: []string{}}
	var failed []string
	for _, e := range endings {
		if e.gone {
			continue
		}
		if errors.Is(e.err, wire.CodeOwnership) {
			a.printer.warn("session " + e.session + " goes on: " + e.err.Error())
			continue
		}
		if e.err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", e.session, e.err))
			continue
		}
		closed++
		out.Kept += e.left.Kept
		out.Discarded += e.left.Discarded
		out.Sessions = append(out.Sessions, e.session)
	}
	out.Closed = closed
	if len(failed) > 0 {
		return nil, wire.Errorf(wire.CodeInternal, "%d of %d sessions could not be closed: %s", len(failed), len(endings), strings.Join(failed, "; ")).
			WithHint("abrowser session list").With("closed", out.Sessions)
	}
	return out, nil
}

// mostEndings are ended at once. Each has its deadline, and of all of a hundred
// sessions' pages at once the browser tells none in time that it is left.
const mostEndings = 16

func endAtOnce(ctx context.Context, endings []ending) {
	var wg sync.WaitGroup
	room := make(chan struct{}, mostEndings)
	for i := range endings {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			e := &endings[i]
			if e.left, e.err = e.end(ctx); errors.Is(e.err, wire.CodeNotRunning) {
				e.gone, e.err = true, nil
			}
		})
	}
	wg.Wait()
}

func (a *app) endings(ctx context.Context, page bool) ([]ending, error) {
	living, err := a.daemons(ctx)
	if err != nil {
		return nil, err
	}
	known, err := a.brokerSessions(ctx)
	if err != nil {
		return nil, err
	}
	var all []ending
	for _, s := range living {
		name := a.nameOf(s.place, known)
		all = append(all, ending{session: name, end: func(ctx context.Context) (wire.ReleaseOut, error) {
			return a.closeOne(ctx, s, name, page)
		}})
	}
	if page {
		for _, b := range known {
			if slices.ContainsFunc(all, func(e ending) bool { return e.session == b.Session }) || b.Pages == 0 {
				continue
			}
			all = append(all, ending{session: b.Session, end: func(ctx context.Context) (wire.ReleaseOut, error) {
				return a.release(ctx, b.Session, true, !a.secret())
			}})
		}
	}
	slices.SortFunc(all, func(x, y ending) int { return strings.Compare(x.session, y.session) })
	return all, nil
}

func (a *app) closeOne(ctx context.Context, s served, name string, page bool) (wire.ReleaseOut, error) {
	if s.state == stateWedged && s.status.State == "" && (sockets.Silence(ctx, s.place).Stopped || a.mute(ctx, s.place, forceTime)) {
		a.printer.warn("the daemon of session " + name + " does not answer; it is ended by force")
		if sockets.CheckName(name) != nil { // no browser knows it: it has no tabs
			_, err := a.behind.Kill(ctx, s.place)
			return wire.ReleaseOut{}, err
		}
		if a.secret() {
			if err := a.mayRelease(ctx, name); err != nil {
				return wire.ReleaseOut{}, err
			}
		}
		out, err := a.endByForce(ctx, name, page)
		return wire.ReleaseOut{Kept: out.Kept, Discarded: out.Discarded}, err
	}
	ctx, cancel := context.WithTimeout(ctx, margin)
	defer cancel()
	out, err := askPlace(ctx, a, s.place, wire.Close, wire.CloseIn{Page: page})
	return wire.ReleaseOut{Kept: out.Kept, Discarded: out.Discarded}, err
}
