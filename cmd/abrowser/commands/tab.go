package commands

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// redirectToTab handles a command that names a tab of another session, as SESSION/t2 or by a
// target id. It makes that session the session of the command. The command still acts for the same
// agent as before. If it acted for no agent, it now acts for the caller's own session.
// redirectToTab returns an error if the other session does not exist.
func (x *run) redirectToTab(ctx context.Context) error {
	name := x.text("tab")
	if name == "" {
		return nil
	}
	session, tab, err := x.tabOf(ctx, name)
	if err != nil || session == "" {
		return err
	}
	x.params["tab"] = tab
	if session == x.session {
		return nil
	}
	x.agent = cmp.Or(x.agent, x.session)
	x.session = session
	x.settings, x.owner = wire.Settings{}, "" // only the session's own agent chooses these
	return x.checkExists(ctx)
}

// tabOf returns the session of the tab with this name, and the tab's name in that session. The
// name is SESSION/TAB or the target id of an open tab. A name with a slash that is not of this
// form is an error. For any other name, tabOf returns an empty session.
func (x *run) tabOf(ctx context.Context, name string) (session, tab string, err error) {
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		session, tab = name[:at], name[at+1:]
		if session == "" || tab == "" {
			return "", "", wire.Errorf(wire.CodeBadInput, "%q is not a tab; a tab of another session is SESSION/t2", name).WithHint("abrowser tab list --all")
		}
		return session, tab, home.CheckName(session)
	}
	if isTarget, err := regexp.MatchString("^[0-9A-F]{32}$", name); err != nil || !isTarget {
		return "", "", err
	}
	all, err := x.tabs(ctx, verbs.TabsIn{})
	if err != nil {
		return "", "", err
	}
	for _, t := range all.Tabs {
		if t.TargetID == name {
			return t.SessionID, t.TabID, nil
		}
	}
	return "", "", nil
}

// checkExists returns an error if the session has neither a daemon nor tabs.
func (x *run) checkExists(ctx context.Context) error {
	place, err := x.root().Session(x.session)
	if err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if _, err := (&client.Client{Endpoint: place}).Hello(short); !errors.Is(err, wire.CodeNotRunning) {
		return nil // if the daemon does not respond, the command itself reports that
	}
	known, err := x.brokerSessions(ctx)
	if err != nil {
		return err
	}
	for _, s := range known {
		if s.Session == x.session && s.Pages > 0 {
			return nil
		}
	}
	return wire.Errorf(wire.CodeNotFound, "No session: %s", x.session).WithHint("abrowser tab list --all")
}

// tabsIdle lists the tabs that the session left open. The entries do not contain the session's
// name, since all tabs are of one session. The list that a daemon returns has the same form.
func (x *run) tabsIdle(ctx context.Context, _ verbs.TabListIn) (*verbs.TabsOut, error) {
	out, err := x.tabs(ctx, verbs.TabsIn{Session: x.session})
	if err != nil {
		return nil, err
	}
	for i := range out.Tabs {
		out.Tabs[i].SessionID, out.Tabs[i].Mode, out.Tabs[i].Browser = "", "", ""
	}
	return out, nil
}

// allTabs lists the tabs of all sessions in all browsers.
func (x *run) allTabs(ctx context.Context, _ verbs.TabListIn) (*verbs.TabsOut, error) {
	return x.tabs(ctx, verbs.TabsIn{})
}

func (x *run) tabs(ctx context.Context, in verbs.TabsIn) (*verbs.TabsOut, error) {
	all, err := askBrowsers(ctx, x, verbs.BrokerTabs, in)
	if err != nil {
		return nil, err
	}
	out := &verbs.TabsOut{Tabs: []verbs.Tab{}}
	for _, one := range all {
		out.Tabs = append(out.Tabs, one.Tabs...)
	}
	return out, nil
}
