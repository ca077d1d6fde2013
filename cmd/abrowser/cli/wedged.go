package cli

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// forceTime is how long a daemon that no signal stopped may say nothing before it
// is taken for dead. Killing it loses no tab.
const forceTime = 4 * time.Second

// errSilent ends a request whose daemon does not answer.
var errSilent = errors.New("the daemon does not answer")

const hintKill = "abrowser kill"

// attend asks as ask does, and looks every second whether the session's daemon is
// still there to answer: one that is stopped, or does not even say hello, is not
// waited for. It is returned then.
func (a *app) attend(ctx context.Context, l line, body json.RawMessage) (wire.Reply, *sockets.PeerState, error) {
	place, err := a.root.Session(a.session)
	if err != nil || l.verb.Describe().By == wire.ByBroker {
		reply, err := a.ask(ctx, l, body)
		return reply, nil, err
	}
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := make(chan *sockets.PeerState, 1)
	looking := time.AfterFunc(askTime, func() { silent <- a.watch(asking, place, func() { cancel(errSilent) }) })
	reply, err := a.ask(asking, l, body)
	cancel(nil)
	if !looking.Stop() {
		if who := <-silent; who != nil && err != nil {
			return wire.Reply{}, who, nil
		}
	}
	return reply, nil, err
}

// watch looks again and again whether the daemon at the place can answer. When it
// cannot, watch has the caller hang up, which takes the request back should the daemon
// go on, and returns it. It is begun askTime after the request, and ends with ctx.
func (a *app) watch(ctx context.Context, place home.Endpoint, hangUp func()) *sockets.PeerState {
	began := time.Now().Add(-askTime)
	tick := time.NewTicker(askTime)
	defer tick.Stop()
	for ctx.Err() == nil {
		who := sockets.InspectPeer(ctx, place)
		if who.PID != 0 && (who.Stopped || time.Since(began) >= forceTime && a.mute(ctx, place, askTime)) {
			hangUp()
			return &who
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return nil
}

// whenSilent is the answer of a verb whose daemon listens and says nothing.
func (a *app) whenSilent(doc wire.Spec, who sockets.PeerState) local {
	if answer := map[string]local{
		verbs.Close.Name:   a.closeSilent,
		verbs.Status.Name:  func(ctx context.Context, l line) (any, error) { return a.statusSilent(ctx, l, who) },
		verbs.TabList.Name: a.tabsSilent,
	}[doc.Name]; answer != nil {
		return func(ctx context.Context, l line) (any, error) {
			if err := a.need(ctx); err != nil {
				return nil, err
			}
			return answer(ctx, l)
		}
	}
	return func(context.Context, line) (any, error) {
		failure := wire.Errorf(wire.CodeWedged, "%s", who.Reason)
		if !doc.ReadOnly {
			failure = wire.Errorf(wire.CodeResultUnknown, "%s; the command may or may not have been done", who.Reason)
		}
		return nil, failure.WithHint(hintKill).With("wedged", true)
	}
}

// mute reports whether somebody listens at the place and does not say hello.
func (a *app) mute(ctx context.Context, place home.Endpoint, patience time.Duration) bool {
	short, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := (&client.Client{Endpoint: place}).Hello(short)
	return err != nil && short.Err() != nil && ctx.Err() == nil && !errors.Is(err, wire.CodeNotRunning)
}

// statusSilent is the status of a session whose daemon says nothing: what its
// browser knows of it.
func (a *app) statusSilent(ctx context.Context, l line, who sockets.PeerState) (any, error) {
	answer, err := a.statusIdle(ctx, l)
	if err != nil {
		return nil, err
	}
	out := answer.(*verbs.StatusOut)
	out.Running, out.State, out.Wedged = true, verbs.StateWedged, true
	out.PID, out.Reason, out.Hint = who.PID, who.Reason, hintKill
	return out, nil
}

func (a *app) tabsSilent(ctx context.Context, l line) (any, error) {
	a.printer.warn("the session's daemon does not answer; its browser lists the tabs (" + hintKill + " ends the daemon)")
	return a.tabsIdle(ctx, l)
}

func (a *app) closeSilent(ctx context.Context, l line) (any, error) {
	a.printer.warn("the session's daemon does not answer; it is ended by force")
	out, err := a.endByForce(ctx, a.session, l.on("page"))
	return &verbs.CloseOut{Closed: true, Kept: out.Kept, Discarded: out.Discarded}, err
}

// kill ends the session whatever its daemon does.
func (a *app) kill(ctx context.Context, l line) (any, error) {
	if a.agent != "" { // by itself a session may always be ended by force
		if err := a.mayRelease(ctx, a.session); err != nil {
			return nil, err
		}
	}
	return a.endByForce(ctx, a.session, l.on("page"))
}

// endByForce kills a session's daemon, and has its browser release or close its
// tabs, which the daemon cannot be asked to do.
func (a *app) endByForce(ctx context.Context, session string, page bool) (*verbs.KillOut, error) {
	place, err := a.root.Session(session)
	if err != nil {
		return &verbs.KillOut{}, err
	}
	killed, err := a.behind.Kill(ctx, place)
	if err != nil {
		return &verbs.KillOut{}, interruption(ctx, err)
	}
	released, err := a.release(ctx, session, page, true)
	return &verbs.KillOut{Killed: killed, Kept: released.Kept, ClosedTabs: released.Closed, Discarded: released.Discarded}, err
}
