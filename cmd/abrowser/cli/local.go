package cli

import (
	"context"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// local answers a verb here, asking daemons and brokers as it needs.
type local func(ctx context.Context, l line) (any, error)

// locally is who answers a line without the session's daemon, nil where that
// does.
func (a *app) locally(l line) local {
	switch name := l.verb.Describe().Name; {
	case name == verbs.Close.Name && (l.on("all") || l.on("force")):
		return a.closeAll
	case name == verbs.TabList.Name && l.on("all"):
		return a.allTabs
	case name == verbs.BrowserStop.Name && l.on("all"):
		return a.stopAll
	}
	return map[string]local{
		verbs.Session.Name:      a.nameSession,
		verbs.SessionList.Name:  a.listSessions,
		verbs.SessionInfo.Name:  a.sessionInfo,
		verbs.SessionClose.Name: a.closeSome,
		verbs.SessionLog.Name:   a.sessionLog,
		verbs.Install.Name:      a.install,
		verbs.Doctor.Name:       a.doctor,
		verbs.Kill.Name:         a.kill,
		verbs.MCP.Name:          a.serveMCP,
		verbs.MCPInstall.Name:   a.installMCP,
	}[l.verb.Describe().Name]
}

// whenIdle is the answer of a verb that starts nothing, where nothing runs. It is
// nil for the others.
func (a *app) whenIdle(doc wire.Spec) local {
	constant := func(out any) local {
		return func(context.Context, line) (any, error) { return out, nil }
	}
	return map[string]local{
		verbs.Close.Name:         a.closeIdle,
		verbs.Status.Name:        a.statusIdle,
		verbs.TabList.Name:       a.tabsIdle,
		verbs.DialogStatus.Name:  constant(&verbs.DialogStatusOut{}),
		verbs.PoolRequest.Name:   constant(&verbs.PoolRequestOut{TabPool: "0", TabHeavyAgents: []verbs.PoolShare{}, Message: "nobody has to wait: no browser runs"}),
		verbs.PoolGrant.Name:     constant(&verbs.PoolGrantOut{TabPool: "0", Message: "No agents waiting for tab space. Your tabs are safe."}),
		verbs.PoolRequests.Name:  constant(&verbs.PoolRequestsOut{PendingRequests: []verbs.PoolWait{}, ActiveReservations: []verbs.PoolReservation{}, TabPool: "0", Owners: []verbs.PoolShare{}}),
		verbs.TabPrune.Name:      constant(&verbs.TabPruneOut{Pruned: []verbs.Tab{}}),
		verbs.BrowserStatus.Name: constant(&verbs.BrowserStatusOut{}),
		verbs.BrowserStop.Name:   constant(&verbs.BrowserStopOut{}),
	}[doc.Name]
}

// askPlace sends a verb to the daemon or broker at a place and returns its output.
func askPlace[In, Out any](ctx context.Context, a *app, place home.Endpoint, v wire.Verb[In, Out], in In) (Out, error) {
	if v.By == wire.ByBroker {
		return askAs(ctx, a, place, a.session, a.agent, v, in)
	}
	return askAs(ctx, a, place, place.Name, a.agentIn(place.Name), v, in)
}

// askAs is [askPlace] for an agent; empty is the session itself.
func askAs[In, Out any](ctx context.Context, a *app, place home.Endpoint, session, agent string, v wire.Verb[In, Out], in In) (Out, error) {
	caller := a.caller(place, "")
	caller.Session, caller.Agent = session, agent
	c := caller.KeepAlive()
	defer c.Close()
	out, warnings, err := client.Do(ctx, c, v, in)
	a.printer.warn(warnings...)
	return out, ofRequest(ctx, err)
}

func (a *app) nameSession(context.Context, line) (any, error) {
	return &verbs.SessionOut{Session: a.session}, nil
}

// statusIdle is the status of a session without a daemon: the tabs it left.
func (a *app) statusIdle(ctx context.Context, _ line) (any, error) {
	out := &verbs.StatusOut{SessionID: a.session}
	known, err := a.brokerSessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range known {
		if s.Session == a.session && s.Pages > 0 {
			out.State, out.Mode, out.URL, out.Title, out.Pages = verbs.StateReleased, s.Mode, s.URL, s.Title, s.Pages
		}
	}
	return out, nil
}

// tabsIdle lists the tabs that the session left. All are its own, so their names
// go without the session's, as its daemon would list them.
func (a *app) tabsIdle(ctx context.Context, _ line) (any, error) {
	out, err := a.tabs(ctx, verbs.TabsIn{Session: a.session})
	if err != nil {
		return nil, err
	}
	for i := range out.Tabs {
		out.Tabs[i].SessionID, out.Tabs[i].Mode, out.Tabs[i].Browser = "", "", ""
	}
	return out, nil
}

// allTabs lists the tabs of all sessions in all browsers.
func (a *app) allTabs(ctx context.Context, _ line) (any, error) {
	return a.tabs(ctx, verbs.TabsIn{})
}

func (a *app) tabs(ctx context.Context, in verbs.TabsIn) (*verbs.TabsOut, error) {
	all, err := askBrowsers(ctx, a, verbs.BrokerTabs, in)
	if err != nil {
		return nil, err
	}
	out := &verbs.TabsOut{Tabs: []verbs.Tab{}}
	for _, one := range all {
		out.Tabs = append(out.Tabs, one.Tabs...)
	}
	return out, nil
}
