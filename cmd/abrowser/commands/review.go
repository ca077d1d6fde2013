package commands

import (
	"context"
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
	if !x.identity.Person {
		return nil, wire.Errorf(wire.CodeOwnership, "a person reviews, and this is a task, since the environment names a session").WithHint("run it without AGENT_BROWSER_SESSION")
	}
	first := ""
	if in.Tab != "" {
		session, tab, _ := strings.Cut(in.Tab, "/")
		first = "#" + url.PathEscape(session) + "/" + url.PathEscape(tab)
	}
	runner := x.Runner // with connections of its own, which last as long as the server
	connections := &Connections{}
	defer connections.Close()
	runner.Use(connections)
	err := x.full.ServeReview(ctx, ReviewServer{
		Port: in.Port, Open: !in.NoOpen, First: first,
		Do: func(ctx context.Context, session string, verb wire.AnyVerb, params map[string]any) (any, error) {
			result, err := runner.Do(ctx, Command{Session: session, Verb: verb, Params: params})
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
		Announce: func(out verbs.ReviewOut) bool { return x.announce(out) },
	})
	status := wire.ExitDone
	x.exit = &status
	return &verbs.ReviewOut{}, err
}

// handBackIdle answers hand-back if no daemon runs.
func (x *run) handBackIdle(context.Context, verbs.HandBackIn) (*verbs.Empty, error) {
	return nil, wire.Errorf(wire.CodeNotFound, "session %s is not taken over", x.session).WithHint("abrowser take-over")
}
