//go:build linux

package main_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The end of one task is nobody else's business: the other task, the browser and
// its cookies stay as they are.
func TestCloseLeavesOthersAlone(t *testing.T) {
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

// close --page and tab prune take away what they say, and nothing else.
func TestTabsAreRemoved(t *testing.T) {
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
	if pruned := e2e.Ask[wire.TabPruneOut](t, h, "", "tab", "prune", "--prefix", "drop-").Pruned; len(pruned) != 4 {
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

// Where nothing runs, the commands that end or look start nothing.
func TestNothingRunningNothingStarts(t *testing.T) {
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
