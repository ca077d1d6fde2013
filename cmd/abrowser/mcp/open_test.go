package mcp_test

import (
	"context"
	"sync"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A session without a name gets one that nobody has, neither living nor with a tab
// left under it, also where several are opened at once; the answer says which.
func TestNamesOfNewSessions(t *testing.T) {
	r := serve(t, "all")
	r.sessions["browser-2"] = "released"
	opening, together := make(chan struct{}), sync.WaitGroup{}
	together.Add(2)
	r.serve = func(_ context.Context, q asked) (any, error) {
		if q.verb == wire.Open.Name {
			together.Done()
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
			mu.Lock()
			defer mu.Unlock()
			got[members["sessionId"]] = true
			if id, _ := members["sessionId"].(string); failed || text != "session "+id+" is open" || members["sessionType"] != "browser" {
				t.Errorf("start_browser: %v %v", members, text)
			}
		})
	}
	together.Wait()
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
		if q.verb == wire.Open.Name && q.session == "browser-1" {
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
	r.serve = func(_ context.Context, q asked) (any, error) {
		if q.session == "b" && q.verb == wire.Open.Name {
			close(begun)
			<-opening
		}
		if q.session == "bad" && q.in["url"] == nil && q.verb == wire.Open.Name {
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
