package cli

import (
	"context"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// local answers a verb here, asking daemons and brokers as it needs.
type local func(ctx context.Context, l line) (any, error)

// locally is who answers a line without the session's daemon, nil where that
// does.
func (a *app) locally(l line) local {
	switch name := l.verb.Describe().Name; {
	case name == wire.Close.Name && (l.on("all") || l.on("force")):
		return a.closeAll
	case name == wire.TabList.Name && l.on("all"):
		return a.allTabs
	case name == wire.BrowserStop.Name && l.on("all"):
		return a.stopAll
	}
	return map[string]local{
		wire.Session.Name:     a.nameSession,
		wire.SessionList.Name: a.listSessions,
		wire.SessionInfo.Name: a.sessionInfo,
		wire.CloseSome.Name:   a.closeSome,
		wire.SessionLog.Name:  a.sessionLog,
		wire.Install.Name:     a.install,
		wire.Doctor.Name:      a.doctor,
		wire.Kill.Name:        a.kill,
		wire.MCP.Name:         a.serveMCP,
		wire.MCPInstall.Name:  a.installMCP,
	}[l.verb.Describe().Name]
}

// whenIdle is the answer of a verb that starts nothing, where nothing runs. It is
// nil for the others.
func (a *app) whenIdle(doc wire.Doc) local {
	constant := func(out any) local {
		return func(context.Context, line) (any, error) { return out, nil }
	}
	return map[string]local{
		wire.Close.Name:         a.closeIdle,
		wire.Status.Name:        a.statusIdle,
		wire.TabList.Name:       a.tabsIdle,
		wire.DialogStatus.Name:  constant(&wire.DialogStatusOut{}),
		wire.PoolRequest.Name:   constant(&wire.PoolRequestOut{TabPool: "0", TabHeavyAgents: []wire.PoolShare{}, Message: "nobody has to wait: no browser runs"}),
		wire.PoolGrant.Name:     constant(&wire.PoolGrantOut{TabPool: "0", Message: "No agents waiting for tab space. Your tabs are safe."}),
		wire.PoolRequests.Name:  constant(&wire.PoolRequestsOut{PendingRequests: []wire.PoolWait{}, ActiveReservations: []wire.PoolReservation{}, TabPool: "0", Owners: []wire.PoolShare{}}),
		wire.TabPrune.Name:      constant(&wire.TabPruneOut{Pruned: []wire.Tab{}}),
		wire.BrowserStatus.Name: constant(&wire.BrowserStatusOut{}),
		wire.BrowserStop.Name:   constant(&wire.BrowserStopOut{}),
	}[doc.Name]
}

// askPlace sends a verb to the daemon or broker at a place and returns its output.
func askPlace[In, Out any](ctx context.Context, a *app, place home.Place, v wire.Verb[In, Out], in In) (Out, error) {
	if v.By == wire.ByBroker {
		return askAs(ctx, a, place, a.session, a.agent, v, in)
	}
	return askAs(ctx, a, place, place.Name, a.agentIn(place.Name), v, in)
}

// askAs is [askPlace] for an agent; empty is the session itself.
func askAs[In, Out any](ctx context.Context, a *app, place home.Place, session, agent string, v wire.Verb[In, Out], in In) (Out, error) {
	caller := a.caller(place, "")
	caller.Session, caller.Agent = session, agent
	c := client.New(caller)
	defer c.Close()
	out, warnings, err := client.Do(ctx, c, v, in)
	a.printer.warn(warnings...)
	return out, ofRequest(ctx, err)
}

func (a *app) nameSession(context.Context, line) (any, error) {
	return &wire.SessionOut{Session: a.session}, nil
}

// statusIdle is the status of a session without a daemon: the tabs it left.
func (a *app) statusIdle(ctx context.Context, _ line) (any, error) {
	out := &wire.StatusOut{SessionID: a.session}
	known, err := a.brokerSessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range known {
		if s.Session == a.session && s.Pages > 0 {
			out.State, out.Mode, out.URL, out.Title, out.Pages = stateReleased, s.Mode, s.URL, s.Title, s.Pages
		}
	}
	return out, nil
}

// tabsIdle lists the tabs that the session left. All are its own, so their names
// go without the session's, as its daemon would list them.
func (a *app) tabsIdle(ctx context.Context, _ line) (any, error) {
	out, err := a.tabs(ctx, wire.TabsIn{Session: a.session})
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
	return a.tabs(ctx, wire.TabsIn{})
}

func (a *app) tabs(ctx context.Context, in wire.TabsIn) (*wire.TabsOut, error) {
	all, err := askBrowsers(ctx, a, wire.BrokerTabs, in)
	if err != nil {
		return nil, err
	}
	out := &wire.TabsOut{Tabs: []wire.Tab{}}
	for _, one := range all {
		out.Tabs = append(out.Tabs, one.Tabs...)
	}
	return out, nil
}
