//go:build linux

package main_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The end of one task is nobody else's business: the other task, the browser and
// its cookies stay as they are.
func TestCloseLeavesOthersAlone(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	h.text(t, "stays", "open", s.URL("/secret"))
	h.text(t, "stays", "eval", "document.cookie = 'here=1'")
	h.text(t, "goes", "open", s.URL("/page/goes"))
	want, browser, daemon := markOf(t, h, "stays"), h.of(kindBrowser), h.daemon("stays")

	for _, args := range [][]string{{"close"}, {"close", "--page"}} {
		h.text(t, "goes", args...)
		if got := markOf(t, h, "stays"); got != want {
			t.Errorf("after the other's %v: %v, want %v", args, got, want)
		}
		if cookie := h.text(t, "stays", "eval", "document.cookie"); cookie != `"here=1"` {
			t.Errorf("after the other's %v the cookies are %s", args, cookie)
		}
	}
	if now := h.daemon("stays"); now.pid != daemon.pid {
		t.Errorf("the other task's daemon was %v and is %v", daemon, now)
	}
	if now := h.of(kindBrowser); len(now) != 1 || len(browser) != 1 || now[0].pid != browser[0].pid {
		t.Errorf("the browser was %v and is %v", browser, now)
	}
}

// owners says which sessions have tabs, and how many.
func owners(t *testing.T, h *home) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, tab := range ask[wire.TabsOut](t, h, "", "tab", "list", "--all").Tabs {
		n[tab.SessionID]++
	}
	return n
}

// close --page and tab prune take away what they say, and nothing else.
func TestTabsAreRemoved(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	for _, session := range []string{"live", "keep-1", "drop-1", "drop-2", "page"} {
		h.text(t, session, "open", s.URL("/page/"+session))
		h.text(t, session, "tab", "new", s.URL("/page/more"))
	}
	h.text(t, "page", "close", "--page")
	want := map[string]int{"live": 2, "keep-1": 2, "drop-1": 2, "drop-2": 2}
	compare := func(act string) {
		t.Helper()
		if got := owners(t, h); !maps.Equal(got, want) {
			t.Errorf("after %s the tabs are %v, want %v", act, got, want)
		}
	}
	compare("close --page")
	for _, session := range []string{"keep-1", "drop-1", "drop-2"} {
		h.text(t, session, "close")
	}
	compare("close")

	h.fails(t, wire.CodeBadInput, "", "tab", "prune")
	h.fails(t, wire.CodeBadInput, "", "tab", "prune", "--older-than", "soon")
	compare("a tab prune that was refused")
	h.text(t, "", "tab", "prune", "--older-than", "1h", "--prefix", "drop-")
	compare("tab prune --older-than 1h")
	if pruned := ask[wire.TabPruneOut](t, h, "", "tab", "prune", "--prefix", "drop-").Pruned; len(pruned) != 4 {
		t.Errorf("tab prune --prefix drop- says it closed %v", pruned)
	}
	delete(want, "drop-1")
	delete(want, "drop-2")
	compare("tab prune --prefix drop-")
	h.text(t, "", "tab", "prune", "--all")
	delete(want, "keep-1")
	compare("tab prune --all")
	if url := h.text(t, "live", "get", "url"); url != s.URL("/page/more") {
		t.Errorf("the live session is at %s", url)
	}
}

// Where nothing runs, the commands that end or look start nothing.
func TestNothingRunningNothingStarts(t *testing.T) {
	h := newHome(t)
	for _, line := range []string{
		"close", "close --page", "close --all", "kill", "status", "session", "session list", "session info", "tab --all",
		"tab prune --all", "dialog status", "browser status", "browser stop", "doctor",
	} {
		if r := h.try("nobody", strings.Fields(line)...); r.status != wire.ExitDone {
			t.Errorf("%s", r)
		}
		if running := h.running(); len(running) > 0 {
			t.Errorf("%s started %v", line, running)
		}
	}
}
