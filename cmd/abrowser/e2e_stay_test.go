//go:build linux

package main_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// What one task logs in to, a task that starts later is logged in to.
func TestLoginIsShared(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	h.text(t, "first", "open", s.URL("/me"))
	if who := h.text(t, "first", "get", "text", "#who"); who != "nobody" {
		t.Fatalf("before the login the site sees %q", who)
	}
	h.text(t, "first", "open", s.URL("/login"))
	h.text(t, "first", "fill", "#user", "ada")
	h.text(t, "first", "click", "#in")
	h.text(t, "first", "wait", "#who")
	h.text(t, "second", "open", s.URL("/me"))
	if who := h.text(t, "second", "get", "text", "#who"); who != "ada" {
		t.Errorf("the second task is %q, want ada", who)
	}
	// And across a stop of the browser: the profile keeps it.
	h.text(t, "first", "close", "--all")
	h.text(t, "first", "browser", "stop")
	h.text(t, "third", "open", s.URL("/me"))
	if who := h.text(t, "third", "get", "text", "#who"); who != "ada" {
		t.Errorf("after a stop of the browser a task is %q, want ada", who)
	}
}

// mark is what tells a page from every other, were its URL the same: the target,
// and a value that only the document's own script knows.
type mark struct{ target, url, value, typed string }

func markOf(t *testing.T, h *home, session string) mark {
	t.Helper()
	tabs := ask[wire.TabsOut](t, h, session, "tab", "list").Tabs
	if len(tabs) != 1 {
		t.Fatalf("session %s has %d tabs, want 1: %v", session, len(tabs), tabs)
	}
	return mark{
		target: tabs[0].TargetID, url: h.text(t, session, "get", "url"),
		value: h.text(t, session, "eval", "reveal()"), typed: h.text(t, session, "get", "value", "#kept"),
	}
}

// A task's tab stays when the task ends, and a task of the same name goes on in
// it: the very same document.
func TestTabsStay(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	marks := map[string]mark{}
	for _, session := range []string{"one", "two"} {
		h.text(t, session, "open", s.URL("/secret?"+session))
		h.text(t, session, "fill", "#kept", "kept by "+session)
		marks[session] = markOf(t, h, session)
	}
	if marks["one"].target == marks["two"].target || marks["one"].value == marks["two"].value {
		t.Fatalf("two tasks have one page: %v", marks)
	}
	again := func(t *testing.T) {
		t.Helper()
		for session, want := range marks {
			if got := markOf(t, h, session); got != want {
				t.Errorf("session %s came back to %v, want %v", session, got, want)
			}
		}
	}

	t.Run("after close", func(t *testing.T) {
		for session := range marks {
			h.text(t, session, "close")
		}
		if !await(10*time.Second, func() bool { return len(h.of(kindDaemon)) == 0 }) {
			t.Errorf("daemons after close: %v", h.of(kindDaemon))
		}
		checkReleased(t, h, marks)
		again(t)
	})
	t.Run("after SIGKILL of the daemons", func(t *testing.T) {
		for session := range marks {
			if err := kill(h.daemon(session)); err != nil {
				t.Fatal(err)
			}
		}
		again(t)
	})
	t.Run("after SIGKILL of the drivers", func(t *testing.T) {
		for _, p := range h.of(kindDriver) { // one that they share
			if err := kill(p); err != nil {
				t.Fatal(err)
			}
		}
		again(t)
	})
	t.Run("after the executable was rebuilt", func(t *testing.T) {
		old := map[string]process{"one": h.daemon("one"), "two": h.daemon("two")}
		rebuilt := filepath.Join(h.outer, "abrowser")
		if err := build(rebuilt, "rebuilt"); err != nil {
			t.Fatal(err)
		}
		h.text(t, "one", "close") // one's daemon has ended, two's is idle
		h.binary = rebuilt
		again(t)
		for session, p := range old {
			if now := h.daemon(session); now.pid == p.pid || !strings.Contains(now.exe, h.dir) {
				t.Errorf("session %s is still served by %s", session, now)
			}
		}
	})
}

// A person closes a task's tab: the task's next command says so, with the address
// it was at, and acts on no other page; open makes a new one.
func TestPageClosedByAPerson(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	watch := observe(t, h)
	h.text(t, "other", "open", s.URL("/"))
	h.text(t, "task", "open", s.URL("/form"))
	target := ask[wire.TabsOut](t, h, "task", "tab", "list").Tabs[0].TargetID
	watch.close(t, target)
	for _, args := range [][]string{{"get", "title"}, {"click", "#button"}, {"snapshot"}} {
		e := h.fails(t, wire.CodePageClosed, "task", args...)
		if e.Error == nil || !strings.Contains(*e.Error+e.Hint, s.URL("/form")) {
			t.Errorf("%v does not say where the page was: %+v", args, e)
		}
	}
	if out := h.text(t, "other", "get", "text", "#out"); out != "" {
		t.Errorf("the click went to the other task's page: %q", out)
	}
	h.text(t, "task", "open", s.URL("/page/new"))
	if again := ask[wire.TabsOut](t, h, "task", "tab", "list").Tabs; len(again) != 1 || again[0].TargetID == target {
		t.Errorf("after open the tabs are %v", again)
	}
}

// checkReleased looks for the tabs where a person would.
func checkReleased(t *testing.T, h *home, marks map[string]mark) {
	t.Helper()
	sessions := ask[wire.SessionListOut](t, h, "someone", "session", "list").Sessions
	tabs := ask[wire.TabsOut](t, h, "someone", "tab", "--all").Tabs
	for session, want := range marks {
		i := slices.IndexFunc(sessions, func(e wire.SessionEntry) bool { return e.ID == session })
		if i < 0 || sessions[i].State != "released" || sessions[i].URL != want.url || sessions[i].Pages != 1 {
			t.Errorf("session list does not show %s released at %s: %+v", session, want.url, sessions)
		}
		j := slices.IndexFunc(tabs, func(tab wire.Tab) bool { return tab.TargetID == want.target })
		if j < 0 || tabs[j].SessionID != session || tabs[j].State != "released" || tabs[j].URL != want.url || tabs[j].Title != "Secret" {
			t.Errorf("tab --all does not show %s's tab released: %+v", session, tabs)
		}
		if j >= 0 && (tabs[j].ReleasedAt.IsZero() || time.Since(tabs[j].ReleasedAt) > time.Hour) {
			t.Errorf("tab --all says %s was released at %v", session, tabs[j].ReleasedAt)
		}
	}
	if started := h.daemon("someone"); started.pid != 0 {
		t.Errorf("looking started a daemon: %s", started)
	}
}
