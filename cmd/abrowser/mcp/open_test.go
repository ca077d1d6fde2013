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

// A session without a name gets one that nobody has, neither living nor with a tab
// left under it, also where several are opened at once; the answer says which.
func TestNamesOfNewSessions(t *testing.T) {
	r := serve(t, "all")
	r.sessions["browser-2"] = "released"
	opening, met := make(chan struct{}), make(chan struct{}, 4) // whoever is opened or refused
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
			t.Errorf("it asked %+v", q)
		}
	}
}

// A name that another agent has taken meanwhile is not the one that is opened.
func TestNameTakenByAnother(t *testing.T) {
	r := serve(t, "all")
	r.serve = func(_ context.Context, q asked) (any, error) {
		if q.verb == verbs.Open.Name && q.session == "browser-1" {
			return nil, wire.OwnershipError("navigate", "browser-1/t1", "b")
		}
		return nil, nil
	}
	if got := r.must("start_browser", nil)["sessionId"]; got != "browser-2" {
		t.Errorf("it is %v", got)
	}
	r.says("OWNERSHIP: ", "open_session", map[string]any{"session": "browser-1"})
}

// Of two that open a session at once, one is told that it is there already. One that
// cannot be opened is not there, and what it has left from before stays.
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
			t.Errorf("where it was %q, it was ended by %+v", state, last)
		}
	}
	if got := r.must("open_session", map[string]any{"session": "bad", "navigationUrl": "x.example"})["sessionId"]; got != "bad" {
		t.Errorf("opened at last: %v", got)
	}
}

// Policies are set before the page is there, and checked before anything is.
func TestOpenWithPolicies(t *testing.T) {
	r := serve(t)
	r.says(`permissionPolicy: `, "open_session", map[string]any{"session": "p", "dialogPolicy": "accept", "permissionPolicy": "often"})
	r.says(`requires text`, "open_session", map[string]any{"session": "p", "dialogPolicy": "accept-prompt-with:"})
	if n := len(r.of("open")) + len(r.of("policy dialog")); n != 0 {
		t.Errorf("%d verbs were asked for what is refused", n)
	}
	r.warnings = map[string][]string{"policy dialog": {"many sessions"}, "open": {"late"}}
	out := r.must("open_session", map[string]any{
		"session": "p", "dialogPolicy": "accept-prompt-with:Ada", "permissionPolicy": "deny", "notificationPolicy": "allow", "fsPickerPolicy": "allow",
	})
	if said, _ := out["warning"].(string); !strings.Contains(said, "many sessions") || !strings.Contains(said, "late") {
		t.Errorf("what was said of the start and of the open is %q", said)
	}
	for verb, want := range map[string]string{
		"policy dialog": `{"mode":"accept-prompt-with","text":"Ada"}`, "policy permission": `{"mode":"deny"}`,
		"policy notification": `{"mode":"allow"}`, "policy file-picker": `{"mode":"allow"}`,
	} {
		if got := r.of(verb); len(got) != 1 || got[0].session != "p" || jsonOf(t, got[0].in) != want {
			t.Errorf("%s is asked %+v, want %s", verb, got, want)
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
		t.Errorf("what could not be opened is ended by %+v", closed)
	}
}
