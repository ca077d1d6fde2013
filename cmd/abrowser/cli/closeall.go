package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// ending is one session that is being closed with all others.
type ending struct {
	session string
	end     func(context.Context) (verbs.ReleaseOut, error)
	left    verbs.ReleaseOut
	gone    bool // another command ended it meanwhile
	err     error
}

// mayBeDone reports whether the session may have been ended.
func (e ending) mayBeDone() bool { return e.err == nil || errors.Is(e.err, wire.CodeResultUnknown) }

// closeAll ends all of the agent's sessions at once: those with a daemon through it, and
// with --page also those that left tabs. With --force it ends those of other agents, too.
func (a *app) closeAll(ctx context.Context, l line) (any, error) {
	if !l.on("all") {
		return nil, wire.Errorf(wire.CodeBadInput, "--force goes with --all").WithHint("abrowser kill ends one session by force")
	}
	endings, err := a.endings(ctx, l.on("page"), l.on("force"))
	if err != nil {
		return nil, err
	}
	endAtOnce(ctx, endings)
	if err := a.behind.Sweep(); err != nil {
		a.printer.warn("removing what killed processes left: " + err.Error())
	}
	if err := interruption(ctx, ctx.Err()); err != nil && !slices.ContainsFunc(endings, ending.mayBeDone) {
		return nil, err
	}
	closed := 0
	out := &verbs.CloseOut{Sessions: []string{}}
	var failed []string
	for _, e := range endings {
		if e.gone {
			continue
		}
		if errors.Is(e.err, wire.CodeOwnership) {
			out.Skipped = append(out.Skipped, e.session)
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
	a.warnOfSkipped(out.Skipped, "abrowser close --all --force")
	if len(failed) > 0 {
		return nil, wire.Errorf(wire.CodeInternal, "%d of %d sessions could not be closed: %s", len(failed), len(endings), strings.Join(failed, "; ")).
			WithHint("abrowser session list").With("closed", out.Sessions)
	}
	return out, nil
}

// warnOfSkipped lists the sessions that go on because other agents own them. A person is
// told the command that ends them, too.
func (a *app) warnOfSkipped(sessions []string, command string) {
	if len(sessions) == 0 {
		return
	}
	text := "skipped, since other agents own them: " + strings.Join(sessions, ", ")
	if a.isPerson() {
		text += "; " + command + " ends them, too"
	}
	a.printer.warn(text)
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

// endings lists the sessions that can be ended. Each says when it is ended whether another
// agent owns it; with force that does not count.
func (a *app) endings(ctx context.Context, page, force bool) ([]ending, error) {
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
		all = append(all, ending{session: name, end: func(ctx context.Context) (verbs.ReleaseOut, error) {
			return a.closeOne(ctx, s, name, page, force)
		}})
	}
	if page {
		for _, b := range known {
			if slices.ContainsFunc(all, func(e ending) bool { return e.session == b.Session }) || b.Pages == 0 {
				continue
			}
			all = append(all, ending{session: b.Session, end: func(ctx context.Context) (verbs.ReleaseOut, error) {
				if !force {
					if err := a.mayEnd(ctx, b.Session); err != nil {
						return verbs.ReleaseOut{}, err
					}
				}
				return a.release(ctx, b.Session, true, force)
			}})
		}
	}
	slices.SortFunc(all, func(x, y ending) int { return strings.Compare(x.session, y.session) })
	return all, nil
}

// closeOne ends a session that has a daemon. A daemon that does not answer is killed, if
// the caller may end the session. With force, a daemon that accepts its end from its own
// agent only, because that agent has a secret id, is killed as well.
func (a *app) closeOne(ctx context.Context, s served, name string, page, force bool) (verbs.ReleaseOut, error) {
	if s.state == verbs.StateWedged && s.status.State == "" && (sockets.InspectPeer(ctx, s.place).Stopped || a.mute(ctx, s.place, forceTime)) {
		if !force {
			if err := a.mayEnd(ctx, name); err != nil {
				return verbs.ReleaseOut{}, err
			}
		}
		a.printer.warn("the daemon of session " + name + " does not answer; it is ended by force")
		if home.CheckName(name) != nil { // no browser knows it: it has no tabs
			_, err := a.behind.Kill(ctx, s.place)
			return verbs.ReleaseOut{}, err
		}
		return a.forceOne(ctx, name, page)
	}
	ctx, cancel := context.WithTimeout(ctx, margin)
	defer cancel()
	agent := a.agentIn(name)
	if force {
		agent = "" // the session itself
	}
	out, err := askAs(ctx, a, s.place, name, agent, verbs.Close, verbs.CloseIn{Page: page})
	if force && errors.Is(err, wire.CodeOwnership) {
		return a.forceOne(ctx, name, page)
	}
	return verbs.ReleaseOut{Kept: out.Kept, Discarded: out.Discarded}, err
}

func (a *app) forceOne(ctx context.Context, name string, page bool) (verbs.ReleaseOut, error) {
	out, err := a.endByForce(ctx, name, page)
	return verbs.ReleaseOut{Kept: out.Kept, Discarded: out.Discarded}, err
}
