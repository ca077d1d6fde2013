//go:build linux

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A task can start an MCP server. In the session of the task, the server acts as the task. In all
// other sessions, it acts as a separate agent with a secret id. When the server ends, the sessions
// whose daemons the server has started end, and the other sessions continue.
func TestMCPOfATask(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/page/one"))
	c := dialMCPOf(t, h, "task", "--tools", "all")
	c.must("click", map[string]any{"selector": "h1"})
	c.must("tab_new", map[string]any{"session": "task"})
	h.Text(t, "task", "tab", "t1")
	c.must("open_session", map[string]any{"session": "sub"})

	t.Run("another task has no access", func(t *testing.T) {
		d := dialMCPOf(t, h, "other", "--tools", "all")
		d.refusal(wire.CodeOwnership, "click", map[string]any{"session": "task", "selector": "h1"})
		d.refusal(wire.CodeOwnership, "close_session", map[string]any{"session": "task"})
		d.refusal(wire.CodeOwnership, "kill", map[string]any{"session": "task"})
		d.refusal(wire.CodeOwnership, "set_dialog_policy", map[string]any{"session": "task", "mode": "accept"})
		if out := d.must("close_all_sessions", nil); out["closed"] != 0.0 {
			t.Errorf("it closed %v", out)
		}
		// Server c opened session sub, so the session belongs to the secret id of c. The
		// commands below do not have this id and are refused, even as a task named sub.
		h.Fails(t, wire.CodeOwnership, "task", "--session", "sub", "click", "h1")
		h.Fails(t, wire.CodeOwnership, "sub", "click", "h1")
		d.leave()
	})
	t.Run("a session that the task started continues", func(t *testing.T) {
		c.leave()
		e2e.AwaitNoDaemon(t, h, "sub")
		if ids, released := tabsOf(t, h, "task"); ids != "t1 t2" || released {
			t.Errorf("the task has %s, released: %v", ids, released)
		}
	})
	t.Run("a session that the server started ends", func(t *testing.T) {
		d := dialMCPOf(t, h, "second")
		d.must("open", map[string]any{"url": s.URL("/page/two")})
		h.Text(t, "second", "click", "h1")
		if err := d.process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = d.session.Close() // the error is that the process was killed
		e2e.AwaitNoDaemon(t, h, "second")
		if url := h.Text(t, "second", "get", "url"); url != s.URL("/page/two") {
			t.Errorf("the page is at %s", url)
		}
	})
}

// When an MCP client disconnects, its sessions end as if they were closed with close: their HAR
// files are written, and their settings and policies do not apply to the next task that uses the
// same session name.
func TestMCPLeaves(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	c := dialMCP(t, h, "--tools", "all")
	hars := map[string]string{}
	for session, mode := range map[string]string{"kept": "shared", "quiet": "incognito"} {
		hars[session] = filepath.Join(h.Outer, session+".har")
		c.must("open_session", map[string]any{
			"session": session, "mode": mode, "har": hars[session], "device": "iPhone 15", "navigationUrl": s.URL("/page/" + session),
		})
		c.must("set_permission_policy", map[string]any{"session": session, "mode": "allow"})
	}
	began := time.Now()
	c.leave()
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("the server took %v to end with its input", took)
	}
	for session, har := range hars {
		e2e.AwaitNoDaemon(t, h, session)
		var raw []byte
		e2e.Await(20*time.Second, func() bool { raw, _ = os.ReadFile(har); return raw != nil })
		if !strings.Contains(string(raw), "/page/"+session) {
			t.Errorf("%s: the HAR is %q", session, raw)
		}
		h.Text(t, session, "open", s.URL("/page/next"))
		if agent := h.Text(t, session, "eval", "navigator.userAgent + innerWidth"); strings.Contains(agent, "iPhone") || !strings.Contains(agent, "1280") {
			t.Errorf("%s: the next one's page is %s", session, agent)
		}
		if p := e2e.Ask[verbs.PoliciesOut](t, h, session, "policy", "status").Policies; p.Permission != verbs.PolicyRaise {
			t.Errorf("%s: the next one's policies are %+v", session, p)
		}
		if out := e2e.Ask[verbs.StatusOut](t, h, session, "status"); out.Mode != wire.ModeShared {
			t.Errorf("%s: the next one is in %s mode", session, out.Mode)
		}
	}
}

// When an agent disconnects or is killed, all its sessions end, including those whose daemon was
// killed earlier.
func TestMCPLeavesSessionsWithoutDaemon(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	h.Env = append(h.Env, "ABROWSER_ORPHAN_TIMEOUT=1s", "ABROWSER_ORPHAN_SWEEP=1s")
	for name, leave := range map[string]func(c *mcpClient){
		"disconnected": (*mcpClient).leave,
		"killed": func(c *mcpClient) {
			_ = c.process.Process.Kill() // the error is that the process has ended
			_ = c.session.Close()        // the error is that the process was killed
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := dialMCP(t, h, "--tools", "all")
			har := filepath.Join(h.Outer, name+".har")
			kept, closed, unseen := name+"-kept", name+"-closed", name+"-unseen"
			for session, in := range map[string]map[string]any{kept: {"har": har}, closed: {"onEnd": "close"}, unseen: {}} {
				in["session"], in["navigationUrl"] = session, s.URL("/page/"+session)
				c.must("open_session", in)
				c.must("set_permission_policy", map[string]any{"session": session, "mode": "allow"})
				if err := e2e.Kill(h.Daemon(session)); err != nil {
					t.Fatal(err)
				}
			}
			for _, session := range []string{kept, closed, unseen} {
				if !e2e.Await(20*time.Second, func() bool { _, released := tabsOf(t, h, session); return released }) {
					t.Fatalf("the tabs of %s are not released", session)
				}
			}
			// The sessions have no daemon now. Their agent is still alive, so no other agent can
			// use them.
			h.Fails(t, wire.CodeOwnership, "other", "--session", kept, "close", "--page")
			h.Fails(t, wire.CodeOwnership, kept, "close")
			// This call starts another daemon for one of the sessions. The new daemon has not
			// opened a page when the agent leaves.
			c.must("set_dialog_policy", map[string]any{"session": unseen, "mode": "accept"})
			h.Fails(t, wire.CodeOwnership, unseen, "policy", "dialog", "dismiss")
			leave(c)
			var raw []byte
			if !e2e.Await(20*time.Second, func() bool { raw, _ = os.ReadFile(har); return strings.Contains(string(raw), "/page/"+kept) }) {
				t.Errorf("the HAR is %q", raw)
			}
			if !e2e.Await(20*time.Second, func() bool { ids, _ := tabsOf(t, h, closed); return ids == "" }) {
				t.Errorf("%s has its tabs", closed)
			}
			e2e.AwaitNoDaemon(t, h, unseen)
			for _, session := range []string{kept, closed, unseen} {
				if p := e2e.Ask[verbs.PoliciesOut](t, h, session, "policy", "status").Policies; p.Permission != verbs.PolicyRaise || p.Dialog != verbs.PolicyRaise {
					t.Errorf("%s: the next one's policies are %+v", session, p)
				}
			}
			if url := h.Text(t, kept, "get", "url"); url != s.URL("/page/"+kept) {
				t.Errorf("the next one is at %s", url)
			}
		})
	}
}
