package cli

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

// visit sends a line to the session that has the tab which the line names: SESSION/t2,
// or a target id. The caller stays who it is. A session that is not there is not made.
func (a *app) visit(ctx context.Context, l *line) error {
	name := l.text("tab")
	if name == "" {
		return nil
	}
	session, tab, err := a.tabOf(ctx, name)
	if err != nil || session == "" {
		return err
	}
	l.in["tab"] = tab
	if session == a.session {
		return nil
	}
	a.agent = cmp.Or(a.agent, a.session)
	a.session, a.printer.session = session, session
	a.settings, a.owner = wire.Settings{}, "" // what it runs with is its own agent's to say
	return a.isThere(ctx)
}

// tabOf is the session that a tab's name leads to, and the tab's name there; none for
// a name that the caller's own session knows.
func (a *app) tabOf(ctx context.Context, name string) (session, tab string, err error) {
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		session, tab = name[:at], name[at+1:]
		if session == "" || tab == "" {
			return "", "", wire.Errorf(wire.CodeBadInput, "%q is no tab; another session's is SESSION/t2", name).WithHint("abrowser tab list --all")
		}
		return session, tab, home.CheckName(session)
	}
	if isTarget, err := regexp.MatchString("^[0-9A-F]{32}$", name); err != nil || !isTarget {
		return "", "", err
	}
	all, err := a.tabs(ctx, verbs.TabsIn{})
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

// isThere is an error for a session that has neither a daemon nor tabs.
func (a *app) isThere(ctx context.Context) error {
	place, err := a.root.Session(a.session)
	if err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if _, err := (&client.Client{Endpoint: place}).Hello(short); !errors.Is(err, wire.CodeNotRunning) {
		return nil // what is wrong with it, the question itself shows
	}
	known, err := a.brokerSessions(ctx)
	if err != nil {
		return err
	}
	for _, s := range known {
		if s.Session == a.session && s.Pages > 0 {
			return nil
		}
	}
	return wire.Errorf(wire.CodeNotFound, "No session: %s", a.session).WithHint("abrowser tab list --all")
}
