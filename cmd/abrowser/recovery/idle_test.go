//go:build linux

package recovery_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The daemon of an idle session ends. The session's page stays open, and the next command
// continues there. A running command keeps the daemon alive, however long the command takes. The
// command `status` does not keep the daemon alive.
func TestIdleSessionsEnd(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "long", "open", s.URL("/page/long"))
	stays := h.Daemon("long")
	h.Text(t, "long", "--idle-timeout", "3s", "wait", "4000")
	// If the 4 s of the command counted as idle time, the daemon would have ended by now.
	time.Sleep(300 * time.Millisecond)
	if now := h.Daemon("long"); now.PID != stays.PID {
		t.Errorf("the session's daemon ended after a long command: it was %s and is %s", stays, now)
	}
	h.Env = append(h.Env, "AGENT_BROWSER_IDLE_TIMEOUT_MS=1000")
	h.Text(t, "task", "open", s.URL("/secret"))
	h.Text(t, "task", "fill", "#kept", "typed")
	want := e2e.MarkOf(t, h, "task")
	began := time.Now()
	if !e2e.Await(20*time.Second, func() bool { h.Text(t, "task", "status"); return h.Daemon("task").PID == 0 }) {
		t.Fatalf("the daemon does not end: %s", h.Daemon("task"))
	}
	t.Logf("the daemon ended after %s", time.Since(began))
	if !e2e.Await(20*time.Second, func() bool {
		tabs := e2e.Ask[verbs.TabsOut](t, h, "", "tab", "list", "--all").Tabs
		return len(tabs) == 2 && tabs[0].State == "released" && tabs[1].State == "released"
	}) {
		t.Errorf("the tabs of idle sessions are not released: %+v", e2e.Ask[verbs.TabsOut](t, h, "", "tab", "list", "--all").Tabs)
	}
	if got := e2e.MarkOf(t, h, "task"); got != want {
		t.Errorf("the session came back to %v, want %v", got, want)
	}
	// Each command finds a daemon or starts one, even if the previous daemon is ending at this
	// moment.
	h.Env = append(h.Env, "ABROWSER_IDLE_TIMEOUT=50ms")
	daemons := map[int]bool{}
	for i := range 12 {
		if got := h.Text(t, "task", "get", "url"); got != want.URL {
			t.Errorf("command %d says %s", i, got)
		}
		daemons[h.Daemon("task").PID] = true
		time.Sleep(time.Duration(30+5*i) * time.Millisecond) // around the idle timeout of 50 ms
	}
	t.Logf("%d daemons served 12 commands", len(daemons))
	h.Text(t, "task", "--idle-timeout", "0", "get", "url")
	stays = h.Daemon("task")
	time.Sleep(time.Second) // 20 times the previous idle timeout
	if now := h.Daemon("task"); now.PID != stays.PID || now.PID == 0 {
		t.Errorf("with --idle-timeout 0 the daemon was %v and is %v", stays, now)
	}
	h.Fails(t, wire.CodeBadInput, "task", "--idle-timeout", "soon", "get", "url")
}

// As soon as the daemon of an idle session has ended, the tabs of the session are released, so
// `tab prune` closes them.
func TestIdleSessionsAreReleasedAtOnce(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Env = append(h.Env, "ABROWSER_IDLE_TIMEOUT=1s")
	for i := range 3 {
		session := fmt.Sprint("task-", i)
		h.Text(t, session, "open", s.URL("/"))
		if !e2e.Await(20*time.Second, func() bool { return !e2e.Ask[verbs.StatusOut](t, h, session, "status").Running }) {
			t.Fatalf("the daemon does not end: %s", h.Daemon(session))
		}
		if got := e2e.Ask[verbs.TabPruneOut](t, h, "", "tab", "prune", "--all").Pruned; len(got) != 1 || got[0].SessionID != session {
			t.Errorf("tab prune --all of one tab closed %+v", got)
		}
	}
}

// owner starts a process that a test can name as the owner of a session.
func owner(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// A session ends when its owner process ends. --owner-pid and ABROWSER_OWNER_PID name the owner.
// If several commands name different owners, the owner that the newest command names counts.
func TestSessionEndsWithItsOwner(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	first, second := owner(t), owner(t)
	h.Text(t, "task", "--owner-pid", strconv.Itoa(first.Process.Pid), "open", s.URL("/secret"))
	want := e2e.MarkOf(t, h, "task")
	h.Env = append(h.Env, "ABROWSER_OWNER_PID="+strconv.Itoa(second.Process.Pid))
	h.Text(t, "task", "get", "url")
	h.Env = h.Env[:len(h.Env)-1]
	daemon := h.Daemon("task")
	_ = first.Process.Kill()
	time.Sleep(time.Second) // long enough, because a daemon notices the end of its owner at once
	h.Text(t, "task", "get", "url")
	if now := h.Daemon("task"); now.PID != daemon.PID {
		t.Fatalf("the end of an owner that was replaced ended the session: %v, was %v", now, daemon)
	}
	waits := h.Begin(t, "task", "--json", "wait", "#never", "--timeout", "60000")
	if !e2e.Await(20*time.Second, func() bool { return e2e.Ask[verbs.StatusOut](t, h, "task", "status").Command == "wait" }) {
		t.Fatal("the command does not run")
	}
	_ = second.Process.Kill()
	if r := <-waits.Ended; r.Envelope(t).Code != wire.CodeInterrupted {
		t.Errorf("the command that ran: %s", r)
	}
	e2e.AwaitNoDaemon(t, h, "task")
	tabs := e2e.Ask[verbs.TabsOut](t, h, "", "tab", "list", "--all").Tabs
	if len(tabs) != 1 || tabs[0].TargetID != want.Target || tabs[0].State != "released" {
		t.Errorf("the tabs are %+v", tabs)
	}
	e := h.Fails(t, wire.CodeBadInput, "task", "--owner-pid", strconv.Itoa(first.Process.Pid), "get", "url")
	_ = first.Wait()
	if e.Hint == "" {
		t.Errorf("no hint for an owner that has ended: %+v", e)
	}
	h.Fails(t, wire.CodeBadInput, "task", "--owner-pid", "1073741824", "get", "url")
	h.Fails(t, wire.CodeBadInput, "task", "--owner-pid", "0", "get", "url")
	h.Fails(t, wire.CodeBadInput, "task", "--owner-pid", "me", "get", "url")
	if h.Daemon("task").PID != 0 {
		t.Error("a command that was refused started a daemon")
	}
	if got := e2e.MarkOf(t, h, "task"); got != want {
		t.Errorf("the session came back to %v, want %v", got, want)
	}
}

// A browser without tabs is stopped after its idle timeout. A browser with tabs is not stopped,
// even if all tabs are released. A command that starts while the browser is being stopped gets a
// new browser.
func TestBrowserWithoutTabsIsStopped(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Env = append(h.Env, "ABROWSER_BROWSER_IDLE_TIMEOUT=1s")
	h.Text(t, "keeps", "open", s.URL("/page/one"))
	h.Text(t, "keeps", "eval", "document.cookie = 'visit=1; path=/'")
	h.Text(t, "keeps", "close")
	browser := h.Of(e2e.KindBrowser)
	time.Sleep(4 * time.Second) // four times the idle timeout
	if now := h.Of(e2e.KindBrowser); len(now) != 1 || now[0].PID != browser[0].PID {
		t.Fatalf("with a released tab the browser was %v and is %v", browser, now)
	}
	h.Text(t, "", "tab", "prune", "--all")
	if !e2e.Await(20*time.Second, func() bool {
		return len(h.Of(e2e.KindBrowser))+len(h.Of(e2e.KindKeeper))+len(h.Of(e2e.KindBroker)) == 0
	}) {
		t.Fatalf("without tabs these processes still run: %v", h.Running())
	}
	h.Text(t, "next", "open", s.URL("/page/two"))
	if got := h.Text(t, "next", "eval", "document.cookie"); got != `"visit=1"` {
		t.Errorf("the session cookie is %s", got)
	}
	h.Text(t, "next", "close", "--page")
	log := filepath.Join(h.Dir, "log", "browser.default.log")
	stops := func() int {
		text, _ := os.ReadFile(log) // a missing file is a count of 0
		return strings.Count(string(text), "the browser has no tabs and no clients, and is stopped")
	}
	for round := range 2 {
		before := stops()
		if !e2e.Await(20*time.Second, func() bool { return stops() > before }) {
			t.Fatal("the browser is not stopped")
		}
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				time.Sleep(time.Duration(30*i) * time.Millisecond) // before, during and after the stop
				session := fmt.Sprintf("r%d_%d", round, i)
				if r := h.Try(session, "open", s.URL("/page/"+session)); r.Status != wire.ExitDone || r.Stderr != "" {
					t.Errorf("while the browser was being stopped: %s", r)
				}
				if r := h.Try(session, "close", "--page"); r.Status != wire.ExitDone {
					t.Errorf("%s", r)
				}
			})
		}
		all.Wait()
	}
}
