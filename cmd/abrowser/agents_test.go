//go:build linux

package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// tabsOf returns the ids of a session's tabs, separated by spaces. The second result reports
// whether the last of these tabs is released: the session has ended, and the tab is still open.
func tabsOf(t *testing.T, h *e2e.Home, session string) (ids string, released bool) {
	t.Helper()
	for _, tab := range e2e.Ask[verbs.TabsOut](t, h, "", "tab", "list", "--all").Tabs {
		if tab.SessionID == session {
			ids, released = ids+tab.TabID+" ", tab.State == "released"
		}
	}
	return strings.TrimSpace(ids), released
}

// refusal calls a tool and returns the text of the result. It fails the test if the result is not
// an error with the given code.
func (c *mcpClient) refusal(code wire.Code, tool string, args map[string]any) string {
	c.t.Helper()
	members, text, failed := c.call(tool, args)
	if !failed || members["code"] != string(code) {
		c.t.Errorf("%s(%v): %v %s, want %s", tool, args, members, text, code)
	}
	return text
}

// An agent is an MCP client or a task. All agents of a browser share a pool, which limits the
// number of extra tabs: those that a session opens in addition to its first tab. Here the limit is
// 3, and the timeouts are short enough for a test.
func TestAgentsShareThePool(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	h.Env = append(h.Env, "ABROWSER_MAX_TABS=3", "ABROWSER_RESERVATION_TIMEOUT=4s", "ABROWSER_ORPHAN_TIMEOUT=2s", "ABROWSER_ORPHAN_SWEEP=1s")
	a, b := dialMCP(t, h, "--tools", "all"), dialMCP(t, h, "--tools", "all")
	a.must("open_session", map[string]any{"session": "a1", "navigationUrl": s.URL("/page/one")})
	for range 3 {
		a.must("tab_new", map[string]any{"session": "a1"})
	}
	a.must("open_session", map[string]any{"session": "a2"}) // the first tab of a session does not count
	b.must("open_session", map[string]any{"session": "b1"})
	h.Text(t, "c", "open", s.URL("/page/c"))

	t.Run("another agent can only read a tab", func(t *testing.T) {
		text := b.refusal(wire.CodeOwnership, "navigate", map[string]any{"session": "a1", "url": s.URL("/page/two")})
		if !regexp.MustCompile(`^OWNERSHIP: Cannot navigate tab a1/t4 \(owned by agent_[0-9a-f]{6}\.\.\.\)\n`).MatchString(text) {
			t.Errorf("it says %q", text)
		}
		// Session a1 belongs to the MCP client that opened it, so no task may act in it. This
		// holds for the task named a1, and for another task that selects the session by --session.
		h.Fails(t, wire.CodeOwnership, "a1", "click", "h1")
		h.Fails(t, wire.CodeOwnership, "c", "--session", "a1", "close", "--page")
		if url := b.must("get_url", map[string]any{"tab": "a1/t1"}); url["url"] != s.URL("/page/one") || url["sessionId"] != "a1" {
			t.Errorf("read by another: %v", url)
		}
	})
	t.Run("a full pool", func(t *testing.T) {
		text := b.refusal(wire.CodePoolFull, "tab_new", map[string]any{"session": "b1"})
		if !regexp.MustCompile(`^POOL_FULL: Tab pool is full and you have no tabs to evict\. Tab pool: 3/3 Owners: agent_[0-9a-f]{6}\.\.\.: 3\n`).MatchString(text) {
			t.Errorf("it says %q", text)
		}
		out := a.must("tab_new", map[string]any{"session": "a1"})
		if ids, _ := tabsOf(t, h, "a1"); ids != "t1 t3 t4 t5" || !strings.Contains(out["warning"].(string), "t2") {
			t.Errorf("the tabs of a are %s, want t1 t3 t4 t5 with a warning about t2; the answer is %v", ids, out)
		}
		if ids, _ := tabsOf(t, h, "b1"); ids != "t1" {
			t.Errorf("b has %s", ids)
		}
	})
	t.Run("request and grant", func(t *testing.T) {
		if out := b.must("request_tab_space", nil); out["position"] != 1.0 {
			t.Errorf("b asks: %v", out)
		}
		if out := e2e.Ask[verbs.PoolRequestOut](t, h, "c", "pool", "request"); out.Position != 2 {
			t.Errorf("c asks: %+v", out)
		}
		if out := a.must("grant_tab_space", nil); out["granted"] != true || out["closedTabId"] != "a1/t3" {
			t.Errorf("a grants: %v", out)
		}
		if out := b.must("get_slot_requests", nil); out["youHaveReservation"] != true || out["tabPool"] != "2/3" {
			t.Errorf("b looks: %v", out)
		}
		h.Fails(t, wire.CodePoolFull, "c", "tab", "new") // the last place in the pool is reserved for b
		b.must("tab_new", map[string]any{"session": "b1"})
		if out := a.must("grant_tab_space", nil); out["granted"] != true || out["grantedTo"] != "c" {
			t.Errorf("a grants again: %v", out)
		}
		b.must("request_tab_space", nil)
		promoted := e2e.Await(30*time.Second, func() bool { return b.must("get_slot_requests", nil)["youHaveReservation"] == true })
		if !promoted { // b's turn comes when c's reservation expires
			t.Errorf("b gets no reservation after c: %v", b.must("get_slot_requests", nil))
		}
	})
	t.Run("a killed agent", func(t *testing.T) {
		a.must("request_tab_space", nil)
		if err := a.process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = a.session.Close() // the error is that the process was killed
		e2e.Await(30*time.Second, func() bool { ids, released := tabsOf(t, h, "a1"); return ids == "t1" && released })
		for _, session := range []string{"a1", "a2"} {
			if ids, released := tabsOf(t, h, session); ids != "t1" || !released {
				t.Errorf("%s: %s, released: %v", session, ids, released)
			}
			e2e.AwaitNoDaemon(t, h, session)
		}
		if out := e2e.Ask[verbs.PoolRequestsOut](t, h, "c", "pool", "requests"); len(out.PendingRequests) != 0 {
			t.Errorf("the killed agent still waits: %+v", out)
		}
		if ids, released := tabsOf(t, h, "b1"); ids != "t1 t2" || released {
			t.Errorf("the session b1 of a live agent has %s, released: %v", ids, released)
		}
		h.Text(t, "a1", "eval", "1") // the session has no owner now, so this caller becomes its owner
	})
	t.Run("an agent that disconnects", func(t *testing.T) {
		d := dialMCP(t, h, "--tools", "all")
		d.must("open_session", map[string]any{"session": "d2"})
		if out := d.must("close_all_sessions", map[string]any{"detach": true}); len(out["sessions"].([]any)) != 1 || !strings.Contains(out["warning"].(string), "b1") {
			t.Errorf("close_all_sessions: %v, want that it closes d2 alone", out)
		}
		d.must("open_session", map[string]any{"session": "d1"})
		if err := d.process.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		b.leave()
		_ = d.session.Close() // the error is that a signal ended the process
		for session, want := range map[string]string{"b1": "t1", "d1": "t1"} {
			if !e2e.Await(20*time.Second, func() bool {
				ids, released := tabsOf(t, h, session)
				return ids == want && released
			}) {
				t.Errorf("%s has not ended as it should", session)
			}
			e2e.AwaitNoDaemon(t, h, session)
		}
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("the ends took %v", took)
		}
	})
	t.Run("no file contains a secret", func(t *testing.T) {
		secret := regexp.MustCompile(`agent_[0-9a-f]{7}`)
		for _, dir := range []string{"log", "state"} {
			for _, file := range e2e.FilesBelow(filepath.Join(h.Dir, dir)) {
				if raw, err := os.ReadFile(file); err == nil && secret.Match(raw) {
					t.Errorf("%s has %s", file, secret.Find(raw))
				}
			}
		}
	})
}
