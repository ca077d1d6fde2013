package web_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// as returns the session with another client, which sends the given agent in its requests.
func as(t *testing.T, s *daemontest.Session, agent string) *daemontest.Session {
	t.Helper()
	place, err := s.Home.Root.Session(s.Name)
	if err != nil {
		t.Fatal(err)
	}
	c := client.Client{Endpoint: place, Session: s.Name, Agent: agent}.KeepAlive()
	t.Cleanup(func() { _ = c.Close() })
	return &daemontest.Session{Client: c, Name: s.Name, Home: s.Home}
}

// An agent that does not own a session may read in it and change nothing. If the session was made
// by a named agent, such as the task's parent, the agent with the session's name may act in it too.
// If the session was made by an MCP agent, only that agent may act in it. The id of an MCP agent is
// secret: see [wire.NewAgent].
func TestOwnership(t *testing.T) {
	t.Parallel()
	web := site.Start(t)
	mcp, other := wire.NewAgent(4711), wire.NewAgent(4712)
	for _, tt := range []struct {
		name, maker string
		drives      []string
		not         []string
	}{
		{"the task's own", "", []string{""}, []string{"parent", mcp}},
		{"a parent's", "parent", []string{"parent", ""}, []string{"sibling", mcp}},
		{"an MCP agent's", mcp, []string{mcp}, []string{"", "parent", other}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := home.Start(t)
			maker := as(t, s, tt.maker)
			open(t, maker, web.URL("/page/one"))
			do(t, maker, verbs.TabNew, verbs.TabNewIn{URL: web.URL("/page/two")})
			for _, agent := range tt.drives {
				do(t, as(t, s, agent), verbs.Eval, verbs.EvalIn{Script: "1"})
			}
			shown := wire.KeyOf(cmpName(tt.maker, s.Name)).String()
			for _, agent := range tt.not {
				c := as(t, s, agent)
				err := fails(t, c, verbs.Open, verbs.OpenIn{URL: web.URL("/page/taken")}, wire.CodeOwnership)
				if want := fmt.Sprintf("OWNERSHIP: Cannot navigate tab %s/t2 (owned by %s)", s.Name, shown); err.Message != want {
					t.Errorf("%q, want %q", err.Message, want)
				}
				fails(t, c, verbs.Click, verbs.ClickIn{Element: element("h1")}, wire.CodeOwnership)
				fails(t, c, verbs.Screenshot, verbs.ScreenshotIn{}, wire.CodeOwnership)
				fails(t, c, verbs.GetCDPURL, verbs.Empty{}, wire.CodeOwnership)
				fails(t, c, verbs.TabClose, verbs.TabCloseIn{Tab: "t1"}, wire.CodeOwnership)
				fails(t, c, verbs.Close, verbs.CloseIn{Page: true}, wire.CodeOwnership)
				var steps []verbs.Step
				for _, verb := range []string{"get url", "back", "close"} {
					steps = append(steps, verbs.Step{Command: strings.Fields(verb), Verb: verb, In: []byte("{}")})
				}
				results := do(t, c, verbs.Batch, verbs.BatchIn{Steps: steps}).Results
				if !results[0].Success || results[1].Code != wire.CodeOwnership || results[2].Code != wire.CodeOwnership {
					t.Errorf("in a batch: %+v", results)
				}
				if got := do(t, c, verbs.GetURL, verbs.TabIn{TabSelector: verbs.TabSelector{Tab: "t1"}}).URL; got != web.URL("/page/one") {
					t.Errorf("t1 is read at %s", got)
				}
				if got := do(t, c, verbs.Snapshot, verbs.SnapshotIn{}).Snapshot; !strings.Contains(got, "two") {
					t.Errorf("the active tab is read as %s", got)
				}
				fails(t, c, verbs.GetTitle, verbs.TabIn{TabSelector: verbs.TabSelector{Tab: "t9"}}, wire.CodeNotFound)
			}
			if got := do(t, maker, verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/page/two") {
				t.Errorf("after others have read it the session is at %s", got)
			}
		})
	}
}

func cmpName(agent, session string) string {
	if agent == "" {
		return session
	}
	return agent
}

// Notices are reported to the owner of a session, and not to an agent that reads.
func TestReaderGetsNoNotices(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	// If this command takes longer than 50 ms, its own reply reports the dialog.
	_, told, err := ask(t, s, verbs.Eval, verbs.EvalIn{Script: "void setTimeout(() => alert('for the owner'), 50)"})
	if err != nil {
		t.Fatal(err)
	}
	reader := as(t, s, "reader")
	for range 5 {
		if _, warnings, err := ask(t, reader, verbs.GetTitle, verbs.TabIn{}); err != nil || len(warnings) > 0 {
			t.Fatalf("a reader gets %v, %v", warnings, err)
		}
		do(t, reader, verbs.Snapshot, verbs.SnapshotIn{})
	}
	for range 20 {
		if len(told) > 0 {
			break
		}
		_, warnings, err := ask(t, s, verbs.Eval, verbs.EvalIn{Script: "new Promise(r => setTimeout(r, 20))"})
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, warnings...)
	}
	if len(told) != 1 || !strings.Contains(told[0], "for the owner") {
		t.Errorf("the owner is told %q", told)
	}
}

// A session that was ended belongs to the next agent that uses it. An agent that only reads
// does not become the owner.
func TestSessionChangesAgent(t *testing.T) {
	t.Parallel()
	web := site.Start(t)
	s := home.Start(t)
	mcp := wire.NewAgent(4711)
	open(t, as(t, s, mcp), web.URL("/page/one"))
	broker := client.Client{Endpoint: s.Home.Broker(t), Session: s.Name, Agent: mcp}.KeepAlive()
	t.Cleanup(func() { _ = broker.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s.End(t)
	out, _, err := client.Do(ctx, broker, verbs.BrokerEndAgent, verbs.Empty{})
	if err != nil || len(out.Sessions) != 1 {
		t.Fatalf("goodbye: %+v %v", out, err)
	}
	next := home.Resume(t, s.Name)
	if got := do(t, as(t, next, "reader"), verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/page/one") {
		t.Errorf("the page is at %s", got)
	}
	open(t, as(t, next, "second"), web.URL("/page/two"))
	fails(t, as(t, next, "reader"), verbs.Back, verbs.StepIn{}, wire.CodeOwnership)
	fails(t, as(t, next, mcp), verbs.Back, verbs.StepIn{}, wire.CodeOwnership)
	do(t, next, verbs.Back, verbs.StepIn{})
}

// Only the owner may use a verb that changes something, even if the verb does not wait for a page.
func TestPolicyRequiresOwner(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	other := as(t, s, "other")
	for want, err := range map[string]wire.Error{
		"set the policies of":    fails(t, other, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept"}, wire.CodeOwnership),
		"set the looks of":       fails(t, other, verbs.SetViewport, verbs.ViewportIn{Width: 5, Height: 5}, wire.CodeOwnership),
		"answer the dialogs of":  fails(t, other, verbs.DialogDismiss, verbs.Empty{}, wire.CodeOwnership),
		"record the requests of": fails(t, other, verbs.HARStart, verbs.HARStartIn{}, wire.CodeOwnership),
		"navigate":               fails(t, other, verbs.Reload, verbs.StepIn{}, wire.CodeOwnership),
		"click in":               fails(t, other, verbs.Click, verbs.ClickIn{Element: verbs.Element{Selector: "h1"}}, wire.CodeOwnership),
	} {
		if text := "OWNERSHIP: Cannot " + want + " tab " + s.Name + "/t1 (owned by " + s.Name + ")"; err.Message != text {
			t.Errorf("it says %q, want %q", err.Message, text)
		}
	}
	do(t, s, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept"})
	do(t, other, verbs.DialogStatus, verbs.Empty{})
}
