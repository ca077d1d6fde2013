package commands

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

// ending is one of several sessions that are ended at the same time.
type ending struct {
	session string
	end     func(context.Context) (verbs.ReleaseOut, error)
	left    verbs.ReleaseOut
	gone    bool // the session had ended before its daemon received the request
	err     error
}

// mayBeDone reports whether the session has ended or may have ended.
func (e ending) mayBeDone() bool { return e.err == nil || errors.Is(e.err, wire.CodeResultUnknown) }

// closeAll ends the sessions that have a daemon. With --page, it also ends the sessions that have
// no daemon but still have tabs. It skips the sessions that other agents own, unless --force is
// given.
func (x *run) closeAll(ctx context.Context, in verbs.CloseIn) (*verbs.CloseOut, error) {
	endings, err := x.endings(ctx, in.Page, in.Force)
	if err != nil {
		return nil, err
	}
	endTogether(ctx, endings)
	if err := x.full.Sweep(); err != nil {
		x.warn("removing the files of killed processes: " + err.Error())
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
	x.warnOfSkipped(out.Skipped, "abrowser close --all --force")
	if len(failed) > 0 {
		return nil, wire.Errorf(wire.CodeInternal, "%d of %d sessions could not be closed: %s", len(failed), len(endings), strings.Join(failed, "; ")).
			WithHint("abrowser session list").With("closed", out.Sessions)
	}
	return out, nil
}

// warnOfSkipped adds a warning that lists the sessions that were not ended because other agents
// own them. If the caller is a person, the warning also contains the command that ends these
// sessions.
func (x *run) warnOfSkipped(sessions []string, command string) {
	if len(sessions) == 0 {
		return
	}
	text := "skipped, since other agents own them: " + strings.Join(sessions, ", ")
	if x.isPerson() {
		text += "; " + command + " ends them, too"
	}
	x.warn(text)
}

// maxEndings is the largest number of sessions that are ended at the same time. Each request has
// its own deadline. A browser that has to release the pages of a hundred sessions at the same
// time misses all deadlines.
const maxEndings = 16

// endTogether ends the sessions, at most maxEndings at the same time.
func endTogether(ctx context.Context, endings []ending) {
	var wg sync.WaitGroup
	room := make(chan struct{}, maxEndings)
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

// endings returns the sessions that have a daemon. If page is true, it also returns the sessions
// that have only tabs. It does not check who owns a session. Unless force is true, this is
// checked when the session is ended.
func (x *run) endings(ctx context.Context, page, force bool) ([]ending, error) {
	living, err := x.daemons(ctx)
	if err != nil {
		return nil, err
	}
	known, err := x.brokerSessions(ctx)
	if err != nil {
		return nil, err
	}
	var all []ending
	for _, s := range living {
		name := x.nameOf(s.place, known)
		all = append(all, ending{session: name, end: func(ctx context.Context) (verbs.ReleaseOut, error) {
			return x.closeOne(ctx, s, name, page, force)
		}})
	}
	if page {
		for _, b := range known {
			if slices.ContainsFunc(all, func(e ending) bool { return e.session == b.Session }) || b.Pages == 0 {
				continue
			}
			all = append(all, ending{session: b.Session, end: func(ctx context.Context) (verbs.ReleaseOut, error) {
				if !force {
					if err := x.mayEnd(ctx, b.Session); err != nil {
						return verbs.ReleaseOut{}, err
					}
				}
				return x.release(ctx, b.Session, true, force)
			}})
		}
	}
	slices.SortFunc(all, func(x, y ending) int { return strings.Compare(x.session, y.session) })
	return all, nil
}

// closeOne ends a session that has a daemon. If the daemon does not respond, closeOne kills it,
// provided that the caller may end the session or force is true. If an agent with a secret id owns
// the session, the daemon ends only when this agent requests it. If force is true and the daemon
// refuses to end for this reason, closeOne kills the daemon, too.
func (x *run) closeOne(ctx context.Context, s daemonInfo, name string, page, force bool) (verbs.ReleaseOut, error) {
	if s.state == verbs.StateWedged && s.status.State == "" && (sockets.InspectPeer(ctx, s.place).Stopped || isMute(ctx, s.place, forceTime)) {
		if !force {
			if err := x.mayEnd(ctx, name); err != nil {
				return verbs.ReleaseOut{}, err
			}
		}
		x.warn("the daemon of session " + name + " does not respond; it is ended by force")
		if home.CheckName(name) != nil { // name is only the socket's path: no broker lists this session
			_, err := x.full.Kill(ctx, s.place)
			return verbs.ReleaseOut{}, err
		}
		return x.forceOne(ctx, name, page)
	}
	ctx, cancel := context.WithTimeout(ctx, margin)
	defer cancel()
	agent := x.agentIn(name)
	if force {
		agent = "" // act for the session itself
	}
	out, err := askAs(ctx, x, s.place, name, agent, verbs.Close, verbs.CloseIn{Page: page})
	if force && errors.Is(err, wire.CodeOwnership) {
		return x.forceOne(ctx, name, page)
	}
	return verbs.ReleaseOut{Kept: out.Kept, Discarded: out.Discarded}, err
}

func (x *run) forceOne(ctx context.Context, name string, page bool) (verbs.ReleaseOut, error) {
	out, err := x.endByForce(ctx, name, page)
	return verbs.ReleaseOut{Kept: out.Kept, Discarded: out.Discarded}, err
}
