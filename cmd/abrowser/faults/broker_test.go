//go:build linux

package faults_test

import (
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A broker that is stopped by a signal is replaced after 5 s, and the session's page remains the
// same document.
func TestFrozenBrokerIsReplaced(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/secret"))
	h.Text(t, "task", "fill", "#kept", "kept")
	before, broker := e2e.MarkOf(t, h, "task"), h.Of(e2e.KindBroker)[0]
	e2e.Stop(t, broker)
	if !e2e.Await(4*5*time.Second, func() bool { return !broker.Alive() }) {
		t.Fatalf("%s still runs", broker)
	}
	r := h.Try("task", "--json", "get", "url")
	if e := r.Envelope(t); !e.Success && !e2e.Allowed(e.Code) {
		t.Errorf("the first command after the replacement: %s", r)
	}
	if after := e2e.MarkOf(t, h, "task"); after != before {
		t.Errorf("the session came back to %v, want %v", after, before)
	}
}

// A CDP client at a session's endpoint intercepts every request of the page with Fetch.enable. If
// the broker is killed while such a request is paused, the command that waits for the request
// ends, and later requests of the page are not paused. Another session's page remains the same
// document.
func TestBrokerKilledWhileRequestsArePaused(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/secret"))
	h.Text(t, "other", "open", s.URL("/secret"))
	other := e2e.MarkOf(t, h, "other")
	target := e2e.Ask[verbs.TabsOut](t, h, "task", "tab", "list").Tabs[0].TargetID
	hold := e2e.DialCDP(t, h.Text(t, "task", "get", "cdp-url"))
	var attached struct{ SessionID string }
	hold.Call("", "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &attached)
	hold.Call(attached.SessionID, "Fetch.enable", map[string]any{}, nil)
	held := h.Begin(t, "task", "open", s.URL("/page/held"))
	hold.Await("Fetch.requestPaused")
	if err := e2e.Kill(h.Of(e2e.KindBroker)[0]); err != nil {
		t.Fatal(err)
	}
	select {
	case r := <-held.Ended:
		if e := r; e.Status != wire.ExitDone && !strings.Contains(e.Stderr, "lost") && !strings.Contains(e.Stderr, "went away") {
			t.Errorf("the open whose request was paused: %s", r)
		}
	case <-time.After(40 * time.Second):
		t.Error("the open whose request was paused hangs")
	}
	r := h.Try("task", "open", s.URL("/page/after"))
	if r.Status != wire.ExitDone || r.Took > 20*time.Second {
		t.Errorf("after the broker was killed: %s", r)
	}
	if got := h.Text(t, "task", "get", "text", "#name"); got != "after" {
		t.Errorf("the page shows %q", got)
	}
	if after := e2e.MarkOf(t, h, "other"); after != other {
		t.Errorf("the other session came back to %v, want %v", after, other)
	}
}
