package broker

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
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

// ownerID returns the id of a session's agent in the form that other agents may see.
func ownerID(t patches.TenantInfo) string { return wire.AgentKey(cmp.Or(t.Agent, t.Name)).String() }

func tabID(number int) string { return "t" + strconv.Itoa(number) }

func (b *broker) modeOf(t patches.Tenant) string {
	if t.Incognito {
		return wire.ModeIncognito
	}
	return b.Settings.SessionMode()
}

func (b *broker) tabOf(t patches.TenantInfo, p patches.Tab) verbs.Tab {
	tab := verbs.Tab{
		TabID: tabID(p.Number), Title: p.Title, URL: p.URL, Type: "page", Active: p.Target == t.Active, Crashed: p.Crashed, Kept: p.Kept,
		TargetID: p.Target, SessionID: t.Name, OwnerID: ownerID(t), Outcome: outcomeOf(t), State: stateOf(t.Live), Mode: b.modeOf(t.Tenant), Browser: b.browser.Name, OpenedAt: p.Opened, ReleasedAt: p.Released,
	}
	if p.Label != "" {
		tab.Label = &p.Label
	}
	tab.Question = b.questions.OfSession(t.Name)
	if c := t.Command; c != nil {
		tab.Command = &verbs.LastCommand{Verb: c.Verb, Code: wire.Code(c.Code), At: c.At, MS: c.MS}
	}
	return tab
}

func (b *broker) serveTabs(ctx context.Context, _ *wire.Call, in verbs.TabsIn) (verbs.TabsOut, error) {
	out := verbs.TabsOut{Tabs: []verbs.Tab{}}
	list := b.snapshot
	if in.Settled {
		list = b.snapshotAfterCommand
	}
	tenants, err := list(ctx, in.Session)
	if err != nil {
		return out, err
	}
	var used map[string]int64
	if in.Memory {
		used, err = await(ctx, b, func(done func(map[string]int64)) { b.mux.Memory(memoryTime, done) })
		if err != nil {
			return out, err
		}
	}
	for _, t := range tenants {
		if in.Session != "" {
			out.LastDownload, out.Notified, out.FileChoosers = t.LastDownload, t.PageEvents, t.FileChoosers
		}
		for _, p := range t.Pages {
			tab := b.tabOf(t, p)
			tab.Memory = used[p.Target]
			out.Tabs = append(out.Tabs, tab)
		}
	}
	return out, nil
}

// snapshotAfterCommand lists a session's tabs at the end of one of the session's commands. If the
// session's pages navigated or contacted a server, or its clients changed cookies, the command may
// have logged in at a site. Then snapshotAfterCommand calls snapshot, and saves the cookies before
// it returns, unless the browser has many cookies or lists them slowly.
//
// Otherwise it returns the mux's state, which is current, and sends nothing to the browser. In that
// case, cookies that scripts have set are saved a moment later.
func (b *broker) snapshotAfterCommand(ctx context.Context, session string) ([]patches.TenantInfo, error) {
	type result struct {
		tenants  []patches.TenantInfo
		activity bool
	}
	r, err := await(ctx, b, func(done func(result)) {
		if b.mux.TakeActivity(session) {
			done(result{activity: true})
			return
		}
		b.mux.Flush()
		done(result{tenants: b.mux.TenantNamed(session)})
	})
	switch {
	case err != nil:
		return nil, err
	case !r.activity:
		b.jar.SaveSoon()
		return r.tenants, nil
	}
	var saving sync.WaitGroup
	saving.Go(func() { b.jar.SaveBeforeResponse(ctx) })
	tenants, err := b.snapshot(ctx, session)
	saving.Wait()
	_ = b.do(ctx, b.mux.Flush) // an error means that the broker is ending, and then it flushes too
	return tenants, err
}

func (b *broker) serveNote(ctx context.Context, _ *wire.Call, in verbs.NoteIn) (verbs.Empty, error) {
	var known bool
	err := b.do(ctx, func() { known = b.mux.UpdateTab(in.Session, in.Target, in.Active, in.Label) })
	if err == nil && !known {
		err = wire.Errorf(wire.CodeNotFound, "session %s has no tab with target id %s", in.Session, in.Target)
	}
	return verbs.Empty{}, err
}

func (b *broker) serveRelease(ctx context.Context, call *wire.Call, in verbs.ReleaseIn) (verbs.ReleaseOut, error) {
	if !in.Force {
		if err := b.mayControl(ctx, call, in.Session, "close"); err != nil {
			return verbs.ReleaseOut{}, err
		}
	}
	if in.Page {
		var closing map[string][]patches.Tab
		if err := b.do(ctx, func() { closing = tabsOf(b.mux.TenantNamed(in.Session)) }); err != nil {
			return verbs.ReleaseOut{}, err
		}
		b.keepPicturesOf(ctx, closing)
	}
	return await(ctx, b, func(done func(verbs.ReleaseOut)) {
		b.mux.End(in.Session, in.Page, pruneTime, func(e patches.EndResult) {
			done(verbs.ReleaseOut{Kept: e.Kept, Closed: e.Closed, Discarded: e.Discarded})
		})
	})
}

func (b *broker) serveDepart(ctx context.Context, _ *wire.Call, in verbs.DepartIn) (verbs.Empty, error) {
	return verbs.Empty{}, b.do(ctx, func() {
		now := time.Now()
		maps.DeleteFunc(b.departed, func(_ string, at time.Time) bool { return now.Sub(at) > departedTime })
		if in.Party != "" {
			b.departed[in.Party] = now
		}
		b.mux.RemoveGroup(in.Session, in.Party)
	})
}

// serveIncognito gives a session a browser context of its own, before its first client
// connects. If the request has domains, the context reaches only these.
func (b *broker) serveIncognito(ctx context.Context, _ *wire.Call, in verbs.IncognitoIn) (verbs.Empty, error) {
	if b.Settings.External() {
		return verbs.Empty{}, wire.Errorf(wire.CodeBadInput, "no session can be incognito in a browser that abrowser did not start")
	}
	if len(in.Domains) > 0 && slices.ContainsFunc(b.Settings.Args, func(arg string) bool { return strings.HasPrefix(arg, "--proxy-") }) {
		return verbs.Empty{}, wire.Errorf(wire.CodeBadInput, "the browser was started with a proxy, and a session with allowed domains has to use abrowser's own").
			WithHint("start a browser without %s for it: abrowser browser stop", "--args --proxy-server")
	}
	failure, err := await(ctx, b, func(done func(error)) { b.mux.Incognito(in.Session, in.Domains, done) })
	var tabs patches.SharedTabsError
	if errors.As(failure, &tabs) {
		failure = wire.Errorf(wire.CodeSettingsDiffer, "session %s left %d tabs in the shared browser, which are not incognito", in.Session, int(tabs)).
			WithHint("abrowser --session %s close --page", in.Session)
	}
	if errors.Is(failure, patches.ErrFiltered) {
		failure = wire.Errorf(wire.CodeSettingsDiffer, "the pages of session %s have other allowed domains", in.Session).
			WithHint("abrowser --session %s close", in.Session)
	}
	return verbs.Empty{}, cmp.Or(err, failure)
}

func (b *broker) serveSessions(ctx context.Context, _ *wire.Call, _ verbs.Empty) (verbs.BrokerSessionsOut, error) {
	out := verbs.BrokerSessionsOut{Sessions: []verbs.BrokerSession{}}
	tenants, err := b.snapshot(ctx, "")
	if err != nil {
		return out, err
	}
	for _, t := range tenants {
		s := verbs.BrokerSession{
			Session: t.Name, State: stateOf(t.Live), Mode: b.modeOf(t.Tenant), Browser: b.browser.Name, OwnerID: ownerID(t), Outcome: outcomeOf(t), Active: t.Active, Pages: len(t.Pages), CreatedAt: t.Created, LastAt: t.Last, Clients: t.Clients,
		}
		for _, p := range t.Pages {
			if p.Target == t.Active {
				s.URL, s.Title = p.URL, p.Title
			}
		}
		out.Sessions = append(out.Sessions, s)
	}
	return out, nil
}

func (b *broker) serveNotices(ctx context.Context, _ *wire.Call, in verbs.NoticesIn) (verbs.NoticesOut, error) {
	out := verbs.NoticesOut{Browser: b.browser.Instance, Windowed: b.isVisible()}
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

// serveKeep sets whether tab prune leaves a tab open.
func (b *broker) serveKeep(ctx context.Context, call *wire.Call, in verbs.TabKeepIn) (verbs.TabKeepOut, error) {
	number := 0
	err := b.do(ctx, func() { number = b.mux.Keep(call.Session, in.Tab, !in.Off) })
	if err == nil && number == 0 {
		err = wire.Errorf(wire.CodeNotFound, "session %s has no tab %s", call.Session, in.Tab).WithHint("abrowser tabs")
	}
	return verbs.TabKeepOut{Session: call.Session, TabID: tabID(number), Kept: !in.Off}, err
}

func (b *broker) servePrune(ctx context.Context, _ *wire.Call, in verbs.TabPruneIn) (verbs.TabPruneOut, error) {
	out := verbs.TabPruneOut{Pruned: []verbs.Tab{}}
	if in.OlderThan == "" && in.Prefix == "" && !in.All {
		return out, wire.Errorf(wire.CodeBadInput, "which tabs? Give --older-than, --prefix or --all").
			WithHint("abrowser tab prune --older-than 12h")
	}
	var age time.Duration
	var err error
	if in.OlderThan != "" {
		if age, err = wire.ParseDuration("--older-than", in.OlderThan); err != nil {
			return out, err
		}
	}
	out.DryRun = in.DryRun
	if !in.DryRun {
		var closing map[string][]patches.Tab
		if err := b.do(ctx, func() { closing = b.mux.Prunable(in.Prefix, age) }); err != nil {
			return out, err
		}
		b.keepPicturesOf(ctx, closing)
	}
	closed, err := await(ctx, b, func(done func(map[string][]patches.Tab)) {
		if in.DryRun {
			done(b.mux.Prunable(in.Prefix, age))
			return
		}
		b.mux.Prune(in.Prefix, age, pruneTime, done)
	})
	for name, tabs := range closed {
		for _, t := range tabs {
			out.Pruned = append(out.Pruned, b.tabOf(patches.TenantInfo{Tenant: patches.Tenant{Name: name}}, t))
		}
	}
	slices.SortStableFunc(out.Pruned, func(x, y verbs.Tab) int { return strings.Compare(x.SessionID, y.SessionID) })
	return out, err
}
