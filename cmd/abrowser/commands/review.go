package commands

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// ReviewServer describes the server that [FullProgram].ServeReview runs. All functions are required.
type ReviewServer struct {
	Port  int    // 0 means a free port
	Open  bool   // open the page in the person's browser
	First string // what the page shows first: a fragment of its URL, or empty

	// Do runs a verb in a session, and returns a pointer to its output.
	Do func(ctx context.Context, session string, verb wire.AnyVerb, params map[string]any) (any, error)
	// Table returns the tabs of all sessions.
	Table func(ctx context.Context) (*verbs.TabTable, error)
	// Questions returns what the tasks ask a person.
	Questions func(ctx context.Context) ([]verbs.Question, error)
	// Follow calls show with what happens in all sessions, until ctx ends or show returns false.
	Follow func(ctx context.Context, show func(verbs.Event) bool) error
	// Announce prints the page's URL, and reports whether it succeeded.
	Announce func(verbs.ReviewOut) bool
}

// serveReview serves the review page until the command is interrupted.
func (x *run) serveReview(ctx context.Context, in verbs.ReviewIn) (*verbs.ReviewOut, error) {
	first := ""
	if in.What != "" {
		tab, err := x.findTab(ctx, in.What)
		if err != nil {
			return nil, err
		}
		first = "#" + url.PathEscape(tab.SessionID) + "/" + url.PathEscape(tab.TabID)
	}
	server, done := x.reviewServer(first, !in.NoOpen, func(out verbs.ReviewOut) bool { return x.announce(out) })
	defer done()
	server.Port = in.Port
	err := x.full.ServeReview(ctx, server)
	status := wire.ExitDone
	x.exit = &status
	return &verbs.ReviewOut{}, err
}

// reviewServer returns the server of the review page, and a function to call after its end.
func (x *run) reviewServer(first string, open bool, announce func(verbs.ReviewOut) bool) (server ReviewServer, done func()) {
	runner := x.Runner // with connections of its own, which last as long as the server
	connections := &Connections{}
	runner.Use(connections)
	return ReviewServer{
		Open: open, First: first,
		Do: func(ctx context.Context, session string, verb wire.AnyVerb, params map[string]any) (any, error) {
			if verb.Describe().By == wire.ByBroker {
				y, err := runner.newRun(Command{Verb: verb})
				if err != nil {
					return nil, err
				}
				return y.askBrokerOf(ctx, session, verb, params)
			}
			result, err := runner.Do(ctx, Command{Session: session, Verb: verb, Params: params, Running: true})
			return result.Output, err
		},
		Table: func(ctx context.Context) (*verbs.TabTable, error) {
			y, err := runner.newRun(Command{Verb: &verbs.Tabs})
			if err != nil {
				return nil, err
			}
			return y.readTable(ctx, false)
		},
		Questions: func(ctx context.Context) ([]verbs.Question, error) {
			y, err := runner.newRun(Command{Verb: &verbs.Questions})
			if err != nil {
				return nil, err
			}
			out, err := y.listQuestions(ctx, verbs.Empty{})
			if err != nil {
				return nil, err
			}
			return out.Questions, nil
		},
		Follow:   func(ctx context.Context, show func(verbs.Event) bool) error { return x.follow(ctx, "", -1, show) },
		Announce: announce,
	}, connections.Close
}

// showTab brings a tab to the front of its window. In a browser without windows it serves the review
// page on the tab.
func (x *run) showTab(ctx context.Context, in verbs.TabShowIn) (*verbs.ReviewOut, error) {
	tab, err := x.findTab(ctx, in.What)
	if err != nil {
		return nil, err
	}
	place, err := x.root().Browser(tab.Browser)
	if err != nil {
		return nil, err
	}
	status, err := askPlace(ctx, x, place, verbs.BrowserStatus, verbs.Empty{})
	if err != nil {
		return nil, err
	}
	if status.Headed {
		_, err := askPlace(ctx, x, place, verbs.BrokerInput, verbs.InputIn{Session: tab.SessionID, Tab: tab.TabID, Method: "Page.bringToFront", Params: "{}"})
		return &verbs.ReviewOut{}, err
	}
	return x.serveReview(ctx, verbs.ReviewIn{What: tab.SessionID + "/" + tab.TabID, NoOpen: in.NoOpen})
}

// findTab returns the tab that SESSION/TAB names, or the active tab of SESSION.
func (x *run) findTab(ctx context.Context, what string) (verbs.Tab, error) {
	table, err := x.readTable(ctx, false)
	if err != nil {
		return verbs.Tab{}, err
	}
	session, id, _ := strings.Cut(what, "/")
	for _, tab := range table.Tabs {
		if tab.SessionID == session && (id == tab.TabID || id == "" && tab.Active) {
			return tab, nil
		}
	}
	return verbs.Tab{}, wire.Errorf(wire.CodeNotFound, "there is no tab %s", what).WithHint("abrowser tabs")
}

// keepTab excepts a tab from tab prune.
func (x *run) keepTab(ctx context.Context, in verbs.TabKeepIn) (*verbs.TabKeepOut, error) {
	out, err := x.askBrokerOf(ctx, x.session, &verbs.BrokerKeep, map[string]any{"tab": in.Tab, "off": in.Off})
	if errors.Is(err, wire.CodeNotFound) {
		err = wire.Errorf(wire.CodeNotFound, "session %s has no tab %s", x.session, in.Tab).WithHint("abrowser tabs")
	}
	kept, _ := out.(*verbs.TabKeepOut) // nil for an error
	return kept, err
}

// handBackIdle answers hand-back if no daemon runs.
func (x *run) handBackIdle(context.Context, verbs.HandBackIn) (*verbs.Empty, error) {
	return nil, wire.Errorf(wire.CodeNotFound, "session %s is not taken over", x.session).WithHint("abrowser take-over")
}
