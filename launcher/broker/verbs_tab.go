package broker

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func stateOf(isLive bool) string {
	if isLive {
		return verbs.StateLive
	}
	return verbs.StateReleased
}

// ownerID is the agent that a session is of, as others see it.
func ownerID(o patches.TenantInfo) string { return wire.AgentKey(cmp.Or(o.Agent, o.Name)).String() }

func (b *broker) modeOf(o patches.Tenant) string {
	if o.Incognito {
		return wire.ModeIncognito
	}
	return b.Settings.SessionMode()
}

func (b *broker) tabOf(o patches.TenantInfo, t patches.Tab) verbs.Tab {
	tab := verbs.Tab{
		TabID: tabID(t.Number), Title: t.Title, URL: t.URL, Type: "page", Active: t.Target == o.Active, Crashed: t.Crashed,
		TargetID: t.Target, SessionID: o.Name, OwnerID: ownerID(o), State: stateOf(o.Live), Mode: b.modeOf(o.Tenant), Browser: b.browser.Name, OpenedAt: t.Opened, ReleasedAt: t.Released,
	}
	if t.Label != "" {
		tab.Label = &t.Label
	}
	return tab
}

func (b *broker) serveTabs(ctx context.Context, _ *wire.Call, in verbs.TabsIn) (verbs.TabsOut, error) {
	out := verbs.TabsOut{Tabs: []verbs.Tab{}}
	list := b.snapshot
	if in.Settled {
		list = b.settled
	}
	tenants, err := list(ctx, in.Session)
	if err != nil {
		return out, err
	}
	for _, o := range tenants {
		if in.Session != "" {
			out.LastDownload, out.Notified = o.LastDownload, o.PageEvents
		}
		for _, t := range o.Pages {
			out.Tabs = append(out.Tabs, b.tabOf(o, t))
		}
	}
	return out, nil
}

// settled is [broker.snapshot] for the end of a command. What it may have logged in to is
// saved first. Of a command that had its page neither go anywhere nor ask a server, what
// the browser has said already is all there is to know; cookies that its scripts have set
// are saved a moment later.
func (b *broker) settled(ctx context.Context, session string) ([]patches.TenantInfo, error) {
	type known struct {
		tenants []patches.TenantInfo
		moved   bool
	}
	k, err := await(ctx, b, func(done func(known)) {
		if b.mux.TakeActivity(session) {
			done(known{moved: true})
			return
		}
		b.mux.Flush()
		done(known{tenants: b.mux.TenantNamed(session)})
	})
	switch {
	case err != nil:
		return nil, err
	case !k.moved:
		b.cookies.moved()
		return k.tenants, nil
	}
	var saving sync.WaitGroup
	saving.Go(func() { b.settle(ctx) })
	tenants, err := b.snapshot(ctx, session)
	saving.Wait()
	_ = b.do(ctx, b.mux.Flush) // where it is over, that has been done
	return tenants, err
}

// settle saves what a command may have logged in to. A browser that is slow to tell
// holds the command up for a moment only; it is asked again soon. Nobody waits for one
// that has many cookies.
func (b *broker) settle(ctx context.Context) {
	if !b.cookies.few() {
		b.cookies.moved()
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := b.cookies.look(ctx, false); err != nil {
		b.log.Warn("looking at the cookies", "error", err)
		b.cookies.moved()
	}
}

func (b *broker) serveNote(ctx context.Context, _ *wire.Call, in verbs.NoteIn) (verbs.Empty, error) {
	var known bool
	if err := b.do(ctx, func() { known = b.mux.UpdateTab(in.Session, in.Target, in.Active, in.Label) }); err != nil {
		return verbs.Empty{}, err
	}
	if !known {
		return verbs.Empty{}, wire.Errorf(wire.CodeNotFound, "session %s has no tab with target id %s", in.Session, in.Target)
	}
	return verbs.Empty{}, nil
}

func (b *broker) serveRelease(ctx context.Context, call *wire.Call, in verbs.ReleaseIn) (verbs.ReleaseOut, error) {
	if !in.Force {
		if err := b.mayClose(ctx, call, in.Session); err != nil {
			return verbs.ReleaseOut{}, err
		}
	}
	return await(ctx, b, func(done func(verbs.ReleaseOut)) {
		b.mux.End(in.Session, in.Page, pruneTime, func(e patches.EndResult) {
			done(verbs.ReleaseOut{Kept: e.Kept, Closed: e.Closed, Discarded: e.Discarded})
		})
	})
}

func (b *broker) serveDepart(ctx context.Context, _ *wire.Call, in verbs.DepartIn) (verbs.Empty, error) {
	return verbs.Empty{}, b.do(ctx, func() { b.mux.RemoveGroup(in.Session, in.Party) })
}

// serveIncognito gives a session a browser context of its own, before its first
// client comes.
func (b *broker) serveIncognito(ctx context.Context, _ *wire.Call, in verbs.IncognitoIn) (verbs.Empty, error) {
	if b.Settings.External() {
		return verbs.Empty{}, wire.Errorf(wire.CodeBadInput, "no session is incognito in a browser that somebody else started")
	}
	why, err := await(ctx, b, func(done func(error)) { b.mux.Incognito(in.Session, done) })
	if err != nil {
		return verbs.Empty{}, err
	}
	var tabs patches.SharedTabsError
	if errors.As(why, &tabs) {
		return verbs.Empty{}, wire.Errorf(wire.CodeSettingsDiffer, "session %s left %d tabs in the shared browser, which are not incognito", in.Session, int(tabs)).
			WithHint("abrowser --session %s close --page", in.Session)
	}
	return verbs.Empty{}, why
}

func (b *broker) serveSessions(ctx context.Context, _ *wire.Call, _ verbs.Empty) (verbs.BrokerSessionsOut, error) {
	out := verbs.BrokerSessionsOut{Sessions: []verbs.BrokerSession{}}
	tenants, err := b.snapshot(ctx, "")
	if err != nil {
		return out, err
	}
	for _, o := range tenants {
		s := verbs.BrokerSession{
			Session: o.Name, State: stateOf(o.Live), Mode: b.modeOf(o.Tenant), Browser: b.browser.Name, OwnerID: ownerID(o), Active: o.Active, Pages: len(o.Pages), CreatedAt: o.Created, LastAt: o.Last,
		}
		for _, t := range o.Pages {
			if t.Target == o.Active {
				s.URL, s.Title = t.URL, t.Title
			}
		}
		out.Sessions = append(out.Sessions, s)
	}
	return out, nil
}

func (b *broker) serveNews(ctx context.Context, _ *wire.Call, in verbs.NoticesIn) (verbs.NoticesOut, error) {
	out := verbs.NoticesOut{Browser: b.browser.Instance, Windowed: b.watched()}
	var bad error
	err := b.do(ctx, func() {
		bad = b.idle.set(in.IdleTimeout)
		if in.Seen != 0 {
			b.mux.ClearReopened(in.Session, time.UnixMilli(in.Seen))
		}
		at, tabs := b.mux.Reopened(in.Session)
		for _, t := range tabs {
			out.At = at.UnixMilli()
			out.Reopened = append(out.Reopened, verbs.Reopened{TabID: tabID(t.Number), URL: t.URL, Empty: t.Empty})
		}
	})
	return out, cmp.Or(bad, err)
}

func tabID(number int) string { return "t" + strconv.Itoa(number) }

func (b *broker) servePrune(ctx context.Context, _ *wire.Call, in verbs.TabPruneIn) (verbs.TabPruneOut, error) {
	out := verbs.TabPruneOut{Pruned: []verbs.Tab{}}
	if in.OlderThan == "" && in.Prefix == "" && !in.All {
		return out, wire.Errorf(wire.CodeBadInput, "which tabs? --older-than, --prefix or --all says it").
			WithHint("abrowser tab prune --older-than 12h")
	}
	var age time.Duration
	var err error
	if in.OlderThan != "" {
		if age, err = wire.ParseDuration("--older-than", in.OlderThan); err != nil {
			return out, err
		}
	}
	gone, err := await(ctx, b, func(done func(map[string][]patches.Tab)) {
		b.mux.Prune(in.Prefix, age, pruneTime, done)
	})
	if err != nil {
		return out, err
	}
	for name, tabs := range gone {
		for _, t := range tabs {
			out.Pruned = append(out.Pruned, b.tabOf(patches.TenantInfo{Tenant: patches.Tenant{Name: name}}, t))
		}
	}
	sortTabs(out.Pruned)
	return out, nil
}
