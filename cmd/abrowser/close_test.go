//go:build linux

package main_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// When a session is closed by close or close --page, another session, the browser process and the
// cookies stay as they are.
func TestCloseLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "stays", "open", s.URL("/secret"))
	h.Text(t, "stays", "eval", "document.cookie = 'here=1'")
	h.Text(t, "goes", "open", s.URL("/page/goes"))
	want, browser, daemon := e2e.MarkOf(t, h, "stays"), h.Of(e2e.KindBrowser), h.Daemon("stays")

	for _, args := range [][]string{{"close"}, {"close", "--page"}} {
		h.Text(t, "goes", args...)
		if got := e2e.MarkOf(t, h, "stays"); got != want {
			t.Errorf("after the other's %v: %v, want %v", args, got, want)
		}
		if cookie := h.Text(t, "stays", "eval", "document.cookie"); cookie != `"here=1"` {
			t.Errorf("after the other's %v the cookies are %s", args, cookie)
		}
	}
	if now := h.Daemon("stays"); now.PID != daemon.PID {
		t.Errorf("the other task's daemon was %v and is %v", daemon, now)
	}
	if now := h.Of(e2e.KindBrowser); len(now) != 1 || len(browser) != 1 || now[0].PID != browser[0].PID {
		t.Errorf("the browser was %v and is %v", browser, now)
	}
}

// close --page closes the tabs of its session. tab prune closes tabs of closed sessions, and its
// flags select which. Neither command closes any other tab.
func TestTabsAreRemoved(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	for _, session := range []string{"live", "keep-1", "drop-1", "drop-2", "page"} {
		h.Text(t, session, "open", s.URL("/page/"+session))
		h.Text(t, session, "tab", "new", s.URL("/page/more"))
	}
	h.Text(t, "page", "close", "--page")
	want := map[string]int{"live": 2, "keep-1": 2, "drop-1": 2, "drop-2": 2}
	compare := func(act string) {
		t.Helper()
		if got := e2e.Owners(t, h); !maps.Equal(got, want) {
			t.Errorf("after %s the tabs are %v, want %v", act, got, want)
		}
	}
	compare("close --page")
	for _, session := range []string{"keep-1", "drop-1", "drop-2"} {
		h.Text(t, session, "close")
	}
	compare("close")

	h.Fails(t, wire.CodeBadInput, "", "tab", "prune")
	h.Fails(t, wire.CodeBadInput, "", "tab", "prune", "--older-than", "soon")
	compare("a tab prune that was refused")
	h.Text(t, "", "tab", "prune", "--older-than", "1h", "--prefix", "drop-")
	compare("tab prune --older-than 1h")
	if would := e2e.Ask[verbs.TabPruneOut](t, h, "", "tab", "prune", "--prefix", "drop-", "--dry-run"); len(would.Pruned) != 4 || !would.DryRun {
		t.Errorf("tab prune --prefix drop- --dry-run says it would close %v", would)
	}
	compare("tab prune --prefix drop- --dry-run")
	if pruned := e2e.Ask[verbs.TabPruneOut](t, h, "", "tab", "prune", "--prefix", "drop-").Pruned; len(pruned) != 4 {
		t.Errorf("tab prune --prefix drop- says it closed %v", pruned)
	}
	delete(want, "drop-1")
	delete(want, "drop-2")
	compare("tab prune --prefix drop-")
	h.Text(t, "", "tab", "prune", "--all")
	delete(want, "keep-1")
	compare("tab prune --all")
	if url := h.Text(t, "live", "get", "url"); url != s.URL("/page/more") {
		t.Errorf("the live session is at %s", url)
	}
}

// If nothing runs, the commands that end something or show a state succeed, and start no process.
func TestNothingRunningNothingStarts(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	for _, line := range []string{
		"close", "close --page", "close --all", "kill", "status", "session", "session list", "session info", "tab --all",
		"tab prune --all", "dialog status", "browser status", "browser stop", "doctor",
	} {
		if r := h.Try("nobody", strings.Fields(line)...); r.Status != wire.ExitDone {
			t.Errorf("%s", r)
		}
		if running := h.Running(); len(running) > 0 {
			t.Errorf("%s started %v", line, running)
		}
	}
}

// If a task runs a command that closes several sessions, the command closes only the sessions of
// this task. The sessions of other agents continue, and the command lists them as skipped. A
// person, who runs commands outside of any task, can close them with --force.
func TestClosingSeveralKeepsToOnesOwn(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "other", "open", s.URL("/secret"))
	h.Text(t, "other", "fill", "#kept", "kept")
	h.Text(t, "left", "open", s.URL("/page/left"))
	h.Text(t, "left", "close")
	agent := dialMCP(t, h, "--tools", "all")
	agent.must("open_session", map[string]any{"session": "agent", "navigationUrl": s.URL("/secret")})
	other, others := e2e.MarkOf(t, h, "other"), map[string]int{"agent": 1, "left": 1, "other": 1}
	daemons := []e2e.Process{h.Daemon("other"), h.Daemon("agent")}

	goOn := func(after string) {
		t.Helper()
		if got := e2e.MarkOf(t, h, "other"); got != other {
			t.Errorf("after %s the other's page is %v, want %v", after, got, other)
		}
		for _, d := range daemons {
			if !d.Alive() {
				t.Errorf("%s ended %s", after, d)
			}
		}
	}
	own := []string{"helper", "mine"}
	for _, test := range []struct {
		line    string
		skipped []string
		left    map[string]int // the tabs that the task's own sessions have after the command
	}{
		{"close --all", []string{"agent", "other"}, map[string]int{"helper": 1, "mine": 1}},
		{"close --all --page", []string{"agent", "left", "other"}, nil},
		{"session close --all", []string{"agent", "other"}, map[string]int{"helper": 1, "mine": 1}},
		{"session close --idle-ms 1", []string{"agent", "other"}, map[string]int{"helper": 1, "mine": 1}},
	} {
		h.Text(t, "mine", "open", s.URL("/page/mine"))
		h.Text(t, "mine", "--session", "helper", "open", s.URL("/page/helper"))
		r := h.Try("mine", append([]string{"--json"}, strings.Fields(test.line)...)...)
		var out struct{ Sessions, Closed, Skipped any }
		if err := json.Unmarshal(r.Envelope(t).Data, &out); err != nil || r.Status != wire.ExitDone {
			t.Fatalf("%s", r)
		}
		closed := out.Closed
		if out.Sessions != nil {
			closed = out.Sessions
		}
		if fmt.Sprint(closed) != fmt.Sprint(own) || fmt.Sprint(out.Skipped) != fmt.Sprint(test.skipped) {
			t.Errorf("%s: closed %v and skipped %v, want %v and %v", test.line, closed, out.Skipped, own, test.skipped)
		}
		if warning := r.Envelope(t).Warning; !strings.Contains(warning, "other") || strings.Contains(warning, "--force") {
			t.Errorf("%s: the warning is %q", test.line, warning)
		}
		goOn(test.line)
		want := maps.Clone(others)
		maps.Copy(want, test.left)
		if got := e2e.Owners(t, h); !maps.Equal(got, want) {
			t.Errorf("after %s the tabs are %v, want %v", test.line, got, want)
		}
	}
	if out := agent.must("close_all_sessions", nil); fmt.Sprint(out["sessions"], out["skipped"]) != "[agent] [other]" {
		t.Errorf("close_all_sessions: %v", out)
	}
	agent.must("open_session", map[string]any{"session": "agent"})
	if out := agent.must("close_sessions", map[string]any{"prefix": "o"}); fmt.Sprint(out["closed"], out["skipped"]) != "[] [agent other]" {
		t.Errorf("close_sessions: %v", out)
	}
	agent.refusal(wire.CodeBadInput, "close_all_sessions", map[string]any{"force": true})
	daemons[1] = h.Daemon("agent")

	for _, line := range []string{"close --all --force", "close --all --page --force", "session close --all --force"} {
		h.Fails(t, wire.CodeBadInput, "mine", strings.Fields(line)...)
	}
	h.Fails(t, wire.CodeBadInput, "", "close", "--force")
	for _, line := range []string{"close --all", "close --all --page", "session close --all", "--session mine close --all"} {
		if r := h.Try("", strings.Fields(line)...); r.Status != wire.ExitDone || !strings.Contains(r.Stderr, "agent, ") || !strings.Contains(r.Stderr, "--force") {
			t.Errorf("by a person, %s", r)
		}
	}
	goOn("a person's close without --force")
	h.Text(t, "", "close", "--all", "--page", "--force")
	if got := e2e.Owners(t, h); len(got) > 0 {
		t.Errorf("after a person's close --all --page --force the tabs are %v", got)
	}
	for _, d := range daemons {
		if !e2e.Await(5*time.Second, func() bool { return !d.Alive() }) {
			t.Errorf("a person's close --all --force left %s", d)
		}
	}
}

// A session belongs to the task of its first command, even while this command is still running. So
// `session close` by another task does not close the session.
func TestClosingSeveralSparesWhatBegins(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "mine", "open", s.URL("/"))
	for i := range 8 {
		session := fmt.Sprint("new-", i)
		opening := h.Begin(t, session, "open", s.URL("/"))
		for done := false; !done; {
			select {
			case r := <-opening.Ended:
				if done = true; r.Status != wire.ExitDone {
					t.Errorf("beside close --all: %s", r)
				}
			default:
				h.Try("mine", "session", "close", "--prefix", "new-")
			}
		}
	}
}
