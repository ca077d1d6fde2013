//go:build linux

package faults_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// After one task has logged in to a site, a task that starts later is logged in, too. Both tasks
// share the site's local storage.
func TestLoginIsShared(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "first", "open", s.URL("/me"))
	if who := h.Text(t, "first", "get", "text", "#who"); who != "nobody" {
		t.Fatalf("before the login the site sees %q", who)
	}
	h.Text(t, "first", "open", s.URL("/login"))
	h.Text(t, "first", "fill", "#user", "ada")
	h.Text(t, "first", "click", "#in")
	h.Text(t, "first", "wait", "#who")
	h.Text(t, "second", "open", s.URL("/me"))
	if who := h.Text(t, "second", "get", "text", "#who"); who != "ada" {
		t.Errorf("the second task is %q, want ada", who)
	}
	h.Text(t, "first", "eval", "localStorage.shared = 'by the first'")
	if got := h.Text(t, "second", "eval", "localStorage.shared"); got != `"by the first"` {
		t.Errorf("the second task reads %s from the local storage, want what the first stored", got)
	}
	// The profile keeps the login when the browser is stopped.
	h.Text(t, "first", "close", "--all")
	h.Text(t, "first", "browser", "stop")
	h.Text(t, "third", "open", s.URL("/me"))
	if who := h.Text(t, "third", "get", "text", "#who"); who != "ada" {
		t.Errorf("after a stop of the browser a task is %q, want ada", who)
	}
}

// A task's tab stays open when the task ends, or when its daemon or driver is killed. A later task
// of the same name continues in the same document. This also holds if a command of another build
// of the executable replaces the daemons.
func TestTabsStay(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	marks := map[string]e2e.Mark{}
	for _, session := range []string{"one", "two"} {
		h.Text(t, session, "open", s.URL("/secret?"+session))
		h.Text(t, session, "fill", "#kept", "kept by "+session)
		marks[session] = e2e.MarkOf(t, h, session)
	}
	if marks["one"].Target == marks["two"].Target || marks["one"].Value == marks["two"].Value {
		t.Fatalf("two tasks have the same page: %v", marks)
	}
	again := func(t *testing.T) {
		t.Helper()
		for session, want := range marks {
			if got := e2e.MarkOf(t, h, session); got != want {
				t.Errorf("session %s came back to %v, want %v", session, got, want)
			}
		}
	}

	t.Run("after close", func(t *testing.T) {
		for session := range marks {
			h.Text(t, session, "close")
		}
		if !e2e.Await(10*time.Second, func() bool { return len(h.Of(e2e.KindDaemon)) == 0 }) {
			t.Errorf("daemons after close: %v", h.Of(e2e.KindDaemon))
		}
		checkReleased(t, h, marks)
		again(t)
	})
	t.Run("after SIGKILL of the daemons", func(t *testing.T) {
		for session := range marks {
			if err := e2e.Kill(h.Daemon(session)); err != nil {
				t.Fatal(err)
			}
		}
		again(t)
	})
	t.Run("after SIGKILL of the drivers", func(t *testing.T) {
		for _, p := range h.Of(e2e.KindDriver) { // both sessions share one driver
			if err := e2e.Kill(p); err != nil {
				t.Fatal(err)
			}
		}
		again(t)
	})
	t.Run("after the executable was rebuilt", func(t *testing.T) {
		old := map[string]e2e.Process{"one": h.Daemon("one"), "two": h.Daemon("two")}
		rebuilt := filepath.Join(h.Outer, "abrowser")
		if err := e2e.Build(rebuilt, "main.mark", "rebuilt"); err != nil {
			t.Fatal(err)
		}
		h.Text(t, "one", "close") // so the daemon of "one" has ended, and the daemon of "two" still runs
		h.Binary = rebuilt
		again(t)
		for session, p := range old {
			if now := h.Daemon(session); now.PID == p.PID || !strings.Contains(now.Exe, h.Dir) {
				t.Errorf("session %s is still served by %s", session, now)
			}
		}
	})
}

// If a person closes a task's tab, the task's next commands fail with page_closed, and act on no
// other page. The error contains the URL that the tab had. The command `open` creates a new tab.
func TestPageClosedByAPerson(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	watch := e2e.Observe(t, h)
	h.Text(t, "other", "open", s.URL("/"))
	h.Text(t, "task", "open", s.URL("/form"))
	target := e2e.Ask[verbs.TabsOut](t, h, "task", "tab", "list").Tabs[0].TargetID
	watch.Close(t, target)
	for _, args := range [][]string{{"get", "title"}, {"click", "#button"}, {"snapshot"}} {
		e := h.Fails(t, wire.CodePageClosed, "task", args...)
		if e.Error == nil || !strings.Contains(*e.Error+e.Hint, s.URL("/form")) {
			t.Errorf("%v does not say where the page was: %+v", args, e)
		}
	}
	if out := h.Text(t, "other", "get", "text", "#out"); out != "" {
		t.Errorf("the click went to the other task's page: %q", out)
	}
	h.Text(t, "task", "open", s.URL("/page/new"))
	if again := e2e.Ask[verbs.TabsOut](t, h, "task", "tab", "list").Tabs; len(again) != 1 || again[0].TargetID == target {
		t.Errorf("after open the tabs are %v", again)
	}
}

// checkReleased checks what `session list` and `tab --all` show after the sessions were closed:
// each session and its tab are released, and have the right URL and title. It also checks that
// these commands start no daemon.
func checkReleased(t *testing.T, h *e2e.Home, marks map[string]e2e.Mark) {
	t.Helper()
	sessions := e2e.Ask[verbs.SessionListOut](t, h, "someone", "session", "list").Sessions
	tabs := e2e.Ask[verbs.TabsOut](t, h, "someone", "tab", "--all").Tabs
	for session, want := range marks {
		i := slices.IndexFunc(sessions, func(e verbs.SessionEntry) bool { return e.ID == session })
		if i < 0 || sessions[i].State != "released" || sessions[i].URL != want.URL || sessions[i].Pages != 1 {
			t.Errorf("session list does not show %s released at %s: %+v", session, want.URL, sessions)
		}
		j := slices.IndexFunc(tabs, func(tab verbs.Tab) bool { return tab.TargetID == want.Target })
		if j < 0 || tabs[j].SessionID != session || tabs[j].State != "released" || tabs[j].URL != want.URL || tabs[j].Title != "Secret" {
			t.Errorf("tab --all does not show %s's tab released: %+v", session, tabs)
		}
		if j >= 0 && (tabs[j].ReleasedAt.IsZero() || time.Since(tabs[j].ReleasedAt) > time.Hour) {
			t.Errorf("tab --all says %s was released at %v", session, tabs[j].ReleasedAt)
		}
	}
	if started := h.Daemon("someone"); started.PID != 0 {
		t.Errorf("listing the sessions and tabs started a daemon: %s", started)
	}
}
