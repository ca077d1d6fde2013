//go:build linux

package main_test

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

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// awaitNoDaemon waits for the end of a session's daemon.
func awaitNoDaemon(t *testing.T, h *home, session string) {
	t.Helper()
	if !await(20*time.Second, func() bool { return h.daemon(session).pid == 0 }) {
		t.Fatalf("the daemon of %s does not end: %s", session, h.daemon(session))
	}
}

// A session that does nothing ends; its page stays, and the next command goes on in
// it. A command that runs is not nothing, however long it takes, and to look how the
// session is, is.
func TestIdleSessionsEnd(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := newHome(t)
	h.text(t, "long", "open", s.URL("/page/long"))
	stays := h.daemon("long")
	h.text(t, "long", "--idle-timeout", "3s", "wait", "4000")
	time.Sleep(300 * time.Millisecond) // in which one would have ended whose time ran on meanwhile
	if now := h.daemon("long"); now.pid != stays.pid {
		t.Errorf("the session ended under its command: it was served by %s, and is by %s", stays, now)
	}
	h.env = append(h.env, "AGENT_BROWSER_IDLE_TIMEOUT_MS=1000")
	h.text(t, "task", "open", s.URL("/secret"))
	h.text(t, "task", "fill", "#kept", "typed")
	want := markOf(t, h, "task")
	began := time.Now()
	if !await(20*time.Second, func() bool { h.text(t, "task", "status"); return h.daemon("task").pid == 0 }) {
		t.Fatalf("the daemon does not end: %s", h.daemon("task"))
	}
	t.Logf("the daemon ended after %s", time.Since(began))
	if !await(20*time.Second, func() bool {
		tabs := ask[wire.TabsOut](t, h, "", "tab", "list", "--all").Tabs
		return len(tabs) == 2 && tabs[0].State == "released" && tabs[1].State == "released"
	}) {
		t.Errorf("the tabs of idle sessions are not released: %+v", ask[wire.TabsOut](t, h, "", "tab", "list", "--all").Tabs)
	}
	if got := markOf(t, h, "task"); got != want {
		t.Errorf("the session came back to %v, want %v", got, want)
	}
	// Each command finds a daemon or starts one, whenever it comes.
	h.env = append(h.env, "ABROWSER_IDLE_TIMEOUT=50ms")
	daemons := map[int]bool{}
	for i := range 12 {
		if got := h.text(t, "task", "get", "url"); got != want.url {
			t.Errorf("command %d says %s", i, got)
		}
		daemons[h.daemon("task").pid] = true
		time.Sleep(time.Duration(30+5*i) * time.Millisecond) // around the end of its time
	}
	t.Logf("%d daemons served 12 commands", len(daemons))
	h.text(t, "task", "--idle-timeout", "0", "get", "url")
	stays = h.daemon("task")
	time.Sleep(time.Second) // in which it would have ended 20 times
	if now := h.daemon("task"); now.pid != stays.pid || now.pid == 0 {
		t.Errorf("with --idle-timeout 0 the daemon was %v and is %v", stays, now)
	}
	h.fails(t, wire.CodeBadInput, "task", "--idle-timeout", "soon", "get", "url")
}

// owner is a process that a task runs in.
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

// A session ends with the process that it is for, the last one that was named.
func TestSessionEndsWithItsOwner(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	first, second := owner(t), owner(t)
	h.text(t, "task", "--owner-pid", strconv.Itoa(first.Process.Pid), "open", s.URL("/secret"))
	want := markOf(t, h, "task")
	h.env = append(h.env, "ABROWSER_OWNER_PID="+strconv.Itoa(second.Process.Pid))
	h.text(t, "task", "get", "url")
	h.env = h.env[:len(h.env)-1]
	daemon := h.daemon("task")
	_ = first.Process.Kill()
	time.Sleep(time.Second) // an owner's end is noticed at once
	h.text(t, "task", "get", "url")
	if now := h.daemon("task"); now.pid != daemon.pid {
		t.Fatalf("the end of an owner that was replaced ended the session: %v, was %v", now, daemon)
	}
	waits := h.begin(t, "task", "--json", "wait", "#never", "--timeout", "60000")
	if !await(20*time.Second, func() bool { return ask[wire.StatusOut](t, h, "task", "status").Command == "wait" }) {
		t.Fatal("the command does not run")
	}
	_ = second.Process.Kill()
	if r := <-waits.ended; r.envelope(t).Code != wire.CodeInterrupted {
		t.Errorf("the command that ran: %s", r)
	}
	awaitNoDaemon(t, h, "task")
	tabs := ask[wire.TabsOut](t, h, "", "tab", "list", "--all").Tabs
	if len(tabs) != 1 || tabs[0].TargetID != want.target || tabs[0].State != "released" {
		t.Errorf("the tabs are %+v", tabs)
	}
	e := h.fails(t, wire.CodeBadInput, "task", "--owner-pid", strconv.Itoa(first.Process.Pid), "get", "url")
	_ = first.Wait()
	if e.Hint == "" {
		t.Errorf("no hint for an owner that has ended: %+v", e)
	}
	h.fails(t, wire.CodeBadInput, "task", "--owner-pid", "1073741824", "get", "url")
	h.fails(t, wire.CodeBadInput, "task", "--owner-pid", "0", "get", "url")
	h.fails(t, wire.CodeBadInput, "task", "--owner-pid", "me", "get", "url")
	if h.daemon("task").pid != 0 {
		t.Error("a command that was refused started a daemon")
	}
	if got := markOf(t, h, "task"); got != want {
		t.Errorf("the session came back to %v, want %v", got, want)
	}
}

// A browser without tabs is stopped after a while, one with tabs is not; and who
// comes at that moment gets another one.
func TestBrowserWithoutTabsIsStopped(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := newHome(t)
	h.env = append(h.env, "ABROWSER_BROWSER_IDLE_TIMEOUT=1s")
	h.text(t, "keeps", "open", s.URL("/page/one"))
	h.text(t, "keeps", "eval", "document.cookie = 'visit=1; path=/'")
	h.text(t, "keeps", "close")
	browser := h.of(kindBrowser)
	time.Sleep(4 * time.Second) // four times what it stays without tabs
	if now := h.of(kindBrowser); len(now) != 1 || now[0].pid != browser[0].pid {
		t.Fatalf("with a tab to review the browser was %v and is %v", browser, now)
	}
	h.text(t, "", "tab", "prune", "--all")
	if !await(20*time.Second, func() bool { return len(h.of(kindBrowser))+len(h.of(kindKeeper))+len(h.of(kindBroker)) == 0 }) {
		t.Fatalf("without tabs there still run %v", h.running())
	}
	h.text(t, "next", "open", s.URL("/page/two"))
	if got := h.text(t, "next", "eval", "document.cookie"); got != `"visit=1"` {
		t.Errorf("the session cookie is %s", got)
	}
	h.text(t, "next", "close", "--page")
	log := filepath.Join(h.dir, "log", "browser.default.log")
	stops := func() int {
		text, _ := os.ReadFile(log) // without it none
		return strings.Count(string(text), "nobody uses it; it is stopped")
	}
	for round := range 2 {
		before := stops()
		if !await(20*time.Second, func() bool { return stops() > before }) {
			t.Fatal("the browser is not stopped")
		}
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				time.Sleep(time.Duration(30*i) * time.Millisecond) // before, while and after it stops
				session := fmt.Sprintf("r%d_%d", round, i)
				if r := h.try(session, "open", s.URL("/page/"+session)); r.status != wire.ExitDone || r.stderr != "" {
					t.Errorf("at the moment the browser was stopped: %s", r)
				}
				if r := h.try(session, "close", "--page"); r.status != wire.ExitDone {
					t.Errorf("%s", r)
				}
			})
		}
		all.Wait()
	}
}
