package commands

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/server"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const testBuild = "b1"

// starter is a program whose Start serves the same handlers for each session.
type starter struct {
	FullProgram // nil: the tests call only Start

	t        *testing.T
	root     home.Root
	handlers []wire.Handler
	started  []string
}

func (*starter) Build() (string, error)                                 { return testBuild, nil }
func (s *starter) Full(context.Context, home.Root) (FullProgram, error) { return s, nil }

func (s *starter) Start(_ context.Context, session string, _ wire.Settings) (home.Endpoint, error) {
	s.t.Helper()
	s.started = append(s.started, session)
	place, err := s.root.Session(session)
	if err != nil {
		return place, err
	}
	lease, err := sockets.TryAcquire(place.Lock)
	if err != nil {
		return place, err
	}
	l, err := sockets.Listen(place, lease)
	if err != nil {
		return place, err
	}
	hello := wire.Hello{Name: session, Role: "daemon", Build: testBuild, Protocol: wire.Protocol()}
	srv := &server.Server{Hello: func() wire.Hello { return hello }, Handlers: s.handlers, Build: testBuild}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ctx, l) }()
	s.t.Cleanup(func() {
		stop()
		if err := errors.Join(<-served, lease.Close()); err != nil {
			s.t.Error(err)
		}
	})
	return place, nil
}

// newRunner returns a runner for the session "task" in a new abrowser directory.
func newRunner(t *testing.T, handlers ...wire.Handler) (*Runner, *starter) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "abcmd") // t.TempDir is too long for a socket's address
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &starter{t: t, root: home.Root{Dir: dir}, handlers: handlers}
	if err := s.root.Make(); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"ABROWSER_HOME": dir, "HOME": dir, "ABROWSER_SESSION": "task", "ABROWSER_DEFAULT_TIMEOUT": "700"}
	c, err := config.Resolve(nil, func(name string) (string, bool) { v, ok := env[name]; return v, ok }, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	id, err := c.Identify()
	if err != nil {
		t.Fatal(err)
	}
	return New(c, id, s), s
}

// A command starts its session's daemon once, and gets the parameters that a variable sets.
func TestDo(t *testing.T) {
	var got verbs.ElementIn
	r, s := newRunner(t, wire.Bind(verbs.Hover, func(_ context.Context, call *wire.Call, in verbs.ElementIn) (verbs.HoverOut, error) {
		got = in
		call.Warn("for %s", call.Session)
		return verbs.HoverOut{Hovered: in.Selector}, nil
	}))
	for _, session := range []string{"", "", "other"} {
		params := map[string]any{"selector": "e1"}
		result, err := r.Do(t.Context(), Command{Session: session, Verb: verbs.Hover, Params: params})
		if err != nil {
			t.Fatal(err)
		}
		want := session
		if want == "" {
			want = "task"
		}
		if out, ok := result.Output.(*verbs.HoverOut); !ok || out.Hovered != "e1" || result.Session != want || strings.Join(result.Warnings, ";") != "for "+want {
			t.Errorf("Do() in %q = %+v", session, result)
		}
		if got.Timeout != 700 || len(params) != 1 {
			t.Errorf("the request is %+v, and the caller's parameters are %v", got, params)
		}
	}
	if strings.Join(s.started, " ") != "task other" {
		t.Errorf("%q were started", s.started)
	}
	if _, err := r.Do(t.Context(), Command{Session: "../x", Verb: verbs.Hover}); !errors.Is(err, wire.CodeBadInput) {
		t.Errorf("Do() in ../x = %v, want %s", err, wire.CodeBadInput)
	}
	if _, err := r.Do(t.Context(), Command{Verb: verbs.Open, Settings: map[string]any{"mode": "often"}}); !errors.Is(err, wire.CodeBadInput) {
		t.Errorf("Do() with an unknown mode = %v, want %s", err, wire.CodeBadInput)
	}
	if _, err := r.Do(t.Context(), Command{Verb: verbs.Hover}); !errors.Is(err, wire.CodeBadInput) || wire.AsError(err).Hint == "" {
		t.Errorf("Do() without a selector = %v, want %s and a hint", err, wire.CodeBadInput)
	}
}

// All actions of a batch are checked before the batch is sent. The files of the actions are
// written. A screenshot without a path stays in the result if the caller shows screenshots.
func TestDoBatch(t *testing.T) {
	var got verbs.BatchIn
	r, s := newRunner(t, wire.Bind(verbs.Batch, func(_ context.Context, _ *wire.Call, in verbs.BatchIn) (verbs.BatchOut, error) {
		got = in
		var out verbs.BatchOut
		for _, step := range in.Steps {
			var shot verbs.ScreenshotIn
			if err := json.Unmarshal(step.In, &shot); err != nil {
				return out, err
			}
			raw, err := json.Marshal(verbs.ScreenshotOut{Path: shot.Path, Image: []byte("picture")})
			if err != nil {
				return out, err
			}
			out.Results = append(out.Results, verbs.StepResult{Success: true, Result: raw})
		}
		return out, nil
	}))
	action := func(label string, params map[string]any) Action {
		return Action{Label: label, Words: []string{label}, Verb: verbs.Screenshot, Params: params}
	}
	_, err := r.Do(t.Context(), Command{Verb: verbs.Batch, Actions: []Action{action("one", nil), action("two", map[string]any{"path": "nowhere/x.png"})}})
	if !errors.Is(err, wire.CodeBadInput) || !strings.HasPrefix(err.Error(), "two: directory ") || len(s.started) > 0 {
		t.Errorf("Do() = %v, and %q were started", err, s.started)
	}
	for _, shows := range []bool{false, true} {
		r.showPictures = shows
		result, err := r.Do(t.Context(), Command{
			Verb: verbs.Batch, Params: map[string]any{"bail": true},
			Actions: []Action{action("one", nil), action("two", map[string]any{"path": "x.png"})},
		})
		if err != nil || !got.Bail || len(got.Steps) != 2 || got.Steps[1].Command[0] != "two" {
			t.Fatalf("Do() = %v, and the request is %+v", err, got)
		}
		written := filepath.Join(r.config.Dir, "x.png")
		results := result.Output.(*verbs.BatchOut).Results
		if raw, err := os.ReadFile(written); err != nil || string(raw) != "picture" || results[1].Text != written {
			t.Errorf("the second picture is %q, %v, and the text of its result %q", raw, err, results[1].Text)
		}
		if kept := strings.Contains(string(results[0].Result), `"image"`); kept != shows {
			t.Errorf("the first picture stays in the result: %t, want %t", kept, shows)
		}
	}
}
