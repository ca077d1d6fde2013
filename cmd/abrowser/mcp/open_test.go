package mcp_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// start_browser without a name chooses a name that no other session has, and answers with it. The
// other sessions include ended sessions with tabs, and sessions that other calls are opening at
// the same time.
func TestNamesOfNewSessions(t *testing.T) {
	r := serve(t, "all")
	r.sessions["browser-2"] = "released"
	// The channel met receives a value when an open command begins, and when start_browser has
	// answered.
	opening, met := make(chan struct{}), make(chan struct{}, 4)
	r.serve = func(_ context.Context, q asked) (any, error) {
		if q.verb == verbs.Open.Name {
			met <- struct{}{}
			<-opening
		}
		return nil, nil
	}
	var work sync.WaitGroup
	var mu sync.Mutex
	got := map[any]bool{}
	for range 2 {
		work.Go(func() {
			members, text, failed := r.call("start_browser", map[string]any{"headless": "true", "navigationUrl": "x.example"})
			met <- struct{}{}
			mu.Lock()
			defer mu.Unlock()
			got[members["sessionId"]] = true
			if id, _ := members["sessionId"].(string); failed || text != "session "+id+" is open" || members["sessionType"] != "browser" {
				t.Errorf("start_browser: %v %v", members, text)
			}
		})
	}
	<-met
	<-met
	close(opening)
	work.Wait()
	if !got["browser-1"] || !got["browser-3"] {
		t.Errorf("the names are %v", got)
	}
	for _, q := range r.of("open") {
		if q.in["url"] != "x.example" || q.settings["headed"] != false {
			t.Errorf("the request is %+v", q)
		}
	}
}

// start_browser chooses another name if another agent has meanwhile taken the first one.
func TestNameTakenByAnother(t *testing.T) {
	r := serve(t, "all")
	r.serve = func(_ context.Context, q asked) (any, error) {
		if q.verb == verbs.Open.Name && q.session == "browser-1" {
			return nil, wire.OwnershipError("navigate", "browser-1/t1", "b")
		}
		return nil, nil
	}
	if got := r.must("start_browser", nil)["sessionId"]; got != "browser-2" {
		t.Errorf("the session is %v, want browser-2", got)
	}
	r.says("OWNERSHIP: ", "open_session", map[string]any{"session": "browser-1"})
}

// If two calls open the same session at the same time, the second fails because the session
// exists. A session that cannot be opened is ended again, but the tabs that it had before stay
// open.
func TestOpenOnce(t *testing.T) {
	r := serve(t, "all")
	r.says("Session 'a' already exists", "open_session", map[string]any{"session": "a"})
	opening, begun := make(chan struct{}), make(chan struct{})
	var times atomic.Int32
	r.serve = func(_ context.Context, q asked) (any, error) {
		if q.session == "b" && q.verb == verbs.Open.Name && times.Add(1) == 1 {
			close(begun)
			<-opening
		}
		if q.session == "bad" && q.in["url"] == nil && q.verb == verbs.Open.Name {
			return nil, wire.Errorf(wire.CodeBadInput, "unknown device")
		}
		return nil, nil
	}
	var work sync.WaitGroup
	work.Go(func() { r.must("open_session", map[string]any{"session": "b"}) })
	<-begun
	r.says("Session 'b' already exists", "open_session", map[string]any{"sessionId": "b"})
	close(opening)
	work.Wait()
	for _, state := range []string{"", "released"} {
		if state != "" {
			r.sessions["bad"] = state
		}
		r.says("unknown device", "open_session", map[string]any{"session": "bad"})
		closed := r.of("close")
		if last := closed[len(closed)-1]; last.session != "bad" || last.in["page"] != (state == "") {
			t.Errorf("a session in the state %q was ended by %+v", state, last)
		}
	}
	if got := r.must("open_session", map[string]any{"session": "bad", "navigationUrl": "x.example"})["sessionId"]; got != "bad" {
		t.Errorf("opened at last: %v", got)
	}
}

// open_session checks policies before it runs a command, and sets them before the session has a
// page.
func TestOpenWithPolicies(t *testing.T) {
	r := serve(t)
	r.says(`permissionPolicy: `, "open_session", map[string]any{"session": "p", "dialogPolicy": "accept", "permissionPolicy": "often"})
	r.says(`requires text`, "open_session", map[string]any{"session": "p", "dialogPolicy": "accept-prompt-with:"})
	if n := len(r.of("open")) + len(r.of("policy dialog")); n != 0 {
		t.Errorf("%d commands were run for refused policies", n)
	}
	r.warnings = map[string][]string{"policy dialog": {"many sessions"}, "open": {"late"}}
	out := r.must("open_session", map[string]any{
		"session": "p", "dialogPolicy": "accept-prompt-with:Ada", "permissionPolicy": "deny", "notificationPolicy": "allow", "fsPickerPolicy": "allow",
	})
	if said, _ := out["warning"].(string); !strings.Contains(said, "many sessions") || !strings.Contains(said, "late") {
		t.Errorf("the warning is %q, want those of both commands", said)
	}
	for verb, want := range map[string]string{
		"policy dialog": `{"mode":"accept-prompt-with","text":"Ada"}`, "policy permission": `{"mode":"deny"}`,
		"policy notification": `{"mode":"allow"}`, "policy file-picker": `{"mode":"allow"}`,
	} {
		if got := r.of(verb); len(got) != 1 || got[0].session != "p" || jsonOf(t, got[0].in) != want {
			t.Errorf("the requests of %s are %+v, want %s", verb, got, want)
		}
	}
	if last := r.all[len(r.all)-1]; last.verb != "open" {
		t.Errorf("the last verb is %s", last.verb)
	}
	r.serve = func(_ context.Context, q asked) (any, error) {
		if q.verb == verbs.PolicyDialog.Name {
			return nil, wire.Errorf(wire.CodeStart, "no daemon")
		}
		return nil, nil
	}
	r.says("no daemon", "open_session", map[string]any{"session": "q", "dialogPolicy": "accept"})
	if closed := r.of("close"); len(closed) != 1 || closed[0].session != "q" {
		t.Errorf("the session that could not be opened was ended by %+v", closed)
	}
}
