package daemon_test

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// An agent that does not own a session may read in it and change nothing. The agent with the
// session's name may act in the session even if another agent with a name, such as its parent,
// owns the session. It may not act if the owner is an agent with a secret id.
func TestOwnership(t *testing.T) {
	mcp, other := wire.NewAgent(4711), wire.NewAgent(4712)
	for _, tt := range []struct {
		name, maker string
		acts        []string
		reads       []string
	}{
		{"the task's own", "", []string{""}, []string{"parent", mcp}},
		{"a parent's", "parent", []string{"parent", ""}, []string{"sibling", mcp}},
		{"an MCP agent's", mcp, []string{mcp}, []string{"", "parent", other}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t)
			eval(t, s.as(t, tt.maker), "made")
			for _, agent := range tt.acts {
				eval(t, s.as(t, agent), "acts")
				do(t, s.as(t, agent), verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept"})
			}
			holder := tt.maker
			if holder == "" {
				holder = "s"
			}
			for _, agent := range tt.reads {
				c := s.as(t, agent)
				err := fails(t, c, verbs.Eval, verbs.EvalIn{Script: "refused"}, wire.CodeOwnership)
				if want := fmt.Sprintf("OWNERSHIP: Cannot evaluate in tab s/t1 (owned by %s)", wire.KeyOf(holder)); err.Message != want {
					t.Errorf("%q, want %q", err.Message, want)
				}
				fails(t, c, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "dismiss"}, wire.CodeOwnership)
				fails(t, c, verbs.Close, verbs.CloseIn{Page: true}, wire.CodeOwnership)
				results := do(t, c, verbs.Batch, verbs.BatchIn{Steps: []verbs.Step{
					step(t, "get url", verbs.TabIn{}), step(t, "eval", verbs.EvalIn{Script: "refused"}), step(t, "policy dialog", verbs.DialogPolicyIn{Mode: "dismiss"}), step(t, "close", verbs.CloseIn{}),
				}}).Results
				if !results[0].Success || results[1].Code != wire.CodeOwnership || results[2].Code != wire.CodeOwnership || results[3].Code != wire.CodeOwnership {
					t.Errorf("in a batch: %+v", results)
				}
				do(t, c, verbs.GetURL, verbs.TabIn{})
			}
			if s.runs("refused") != 0 || s.session.State.Get().Policies.Dialog != "accept" {
				t.Errorf("a refused command was run: %s", s.log)
			}
		})
	}
}

// The settings of one agent do not apply to the next owner of the session.
func TestSettingsOfAnotherAgent(t *testing.T) {
	s := start(t)
	eval(t, s.as(t, "first"), "a")
	do(t, s.as(t, "first"), verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept"})
	s.memory.mu.Lock()
	s.har = "/tmp/a.har"
	s.memory.mu.Unlock()
	s.broker.set(func() { s.broker.holder = "" }) // the first agent has ended
	s.lose()
	eval(t, s.as(t, "second"), "b")
	if got := s.session.State.Get().Policies.Dialog; got != "" || s.har != "" {
		t.Errorf("the second agent has the dialog policy %q, and the recording %q goes on", got, s.har)
	}
	fails(t, s.as(t, "first"), verbs.Eval, verbs.EvalIn{Script: "c"}, wire.CodeOwnership)
}

// Notices are reported to the owner of the session, and not to an agent that reads.
func TestNoticesAreTheOwners(t *testing.T) {
	s := start(t)
	eval(t, s, "a")
	s.session.Notices.AddDialog(verbs.Dialog{Type: "alert", Message: "for the owner", Handled: "accepted", Unhandled: true})
	if _, warnings, err := ask(t, s.as(t, "reader"), verbs.GetURL, verbs.TabIn{}); err != nil || len(warnings) > 0 {
		t.Errorf("an agent that reads gets %q, %v", warnings, err)
	}
	if _, warnings, err := ask(t, s, verbs.Eval, verbs.EvalIn{Script: "b"}); err != nil || len(warnings) != 1 {
		t.Errorf("the owner gets %q, %v", warnings, err)
	}
}

// The idle timeout and the owner process in a request are applied only if the session's owner
// sends the request. The session is closed when its owner process ends.
func TestOwnerProcess(t *testing.T) {
	s := start(t)
	eval(t, s, "a")
	process := func() (*exec.Cmd, string) {
		t.Helper()
		sleeper := exec.CommandContext(t.Context(), "sleep", "600")
		if err := sleeper.Start(); err != nil {
			t.Fatal(err)
		}
		p, err := sockets.FindProcess(sleeper.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		return sleeper, p.String()
	}
	kill := func(c *exec.Cmd) {
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // it was killed
	}
	of, owner := process()
	do(t, s.by(t, client.Client{Agent: "reader", OwnerProcess: owner, Settings: wire.Settings{IdleTimeout: "1ms"}}), verbs.GetURL, verbs.TabIn{})
	kill(of)
	time.Sleep(300 * time.Millisecond) // the test can only wait to see that nothing happens
	do(t, s, verbs.Status, verbs.Empty{})
	of, owner = process()
	do(t, s.by(t, client.Client{OwnerProcess: owner}), verbs.GetURL, verbs.TabIn{})
	kill(of)
	s.awaitEnd(t)
	if len(s.broker.release) != 1 || s.broker.release[0].Page {
		t.Errorf("the session was released as %+v", s.broker.release)
	}
}

// A session that no command has used yet belongs to the agent with its name, whose first
// command may be on its way. Another agent cannot close it.
func TestCloseByAnother(t *testing.T) {
	s := start(t)
	fails(t, s.as(t, "other"), verbs.Close, verbs.CloseIn{}, wire.CodeOwnership)
	if out := do(t, s, verbs.Close, verbs.CloseIn{}); out.Closed != true {
		t.Errorf("close = %+v", out)
	}
	s.awaitEnd(t)
}

// If the broker has ended a session, the session's daemon ends when it connects again.
func TestEndedInTheBrowser(t *testing.T) {
	s := start(t)
	eval(t, s, "a")
	s.broker.set(func() { s.broker.ended, s.broker.holder = true, "" })
	s.lose()
	s.awaitEnd(t)
	if _, _, err := ask(t, s, verbs.Status, verbs.Empty{}); !errors.Is(err, wire.CodeNotRunning) {
		t.Errorf("status = %v", err)
	}
}
