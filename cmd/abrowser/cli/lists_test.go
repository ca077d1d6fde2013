package cli

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// released records the requests that a broker receives for releasing a session.
type released struct {
	mu  sync.Mutex // guards all
	all []verbs.ReleaseIn
}

func (r *released) handler() wire.Handler {
	return wire.Bind(verbs.BrokerRelease, func(_ context.Context, _ *wire.Call, in verbs.ReleaseIn) (verbs.ReleaseOut, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.all = append(r.all, in)
		if in.Page {
			return verbs.ReleaseOut{Closed: 1}, nil
		}
		return verbs.ReleaseOut{Kept: 1}, nil
	})
}

func (r *released) take() []verbs.ReleaseIn {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

// twoSessions serves the daemon of the session "live", and a broker with the sessions "live",
// "left" (its daemon has ended, its tab is open) and "none" (without tabs).
func twoSessions(t *testing.T) (*bench, *released) {
	b := newBench(t)
	r := &released{}
	b.serveBroker(r.handler(),
		wire.Bind(verbs.BrokerClaim, func(_ context.Context, _ *wire.Call, in verbs.ClaimIn) (verbs.ClaimOut, error) {
			return verbs.ClaimOut{Owner: wire.AgentKey(in.Session), Unknown: in.Session == "stuck"}, nil
		}),
		answers(verbs.BrokerSessions, verbs.BrokerSessionsOut{Sessions: []verbs.BrokerSession{
			{Session: "left", State: "released", Pages: 1, URL: "https://left.example/", Title: "Left"},
			{Session: "live", State: "live", Pages: 1, URL: "https://old.example/", LastAt: time.Now().Add(-time.Hour)},
			{Session: "none", State: "released"},
		}}),
		wire.Bind(verbs.BrokerTabs, func(_ context.Context, _ *wire.Call, in verbs.TabsIn) (verbs.TabsOut, error) {
			tabs := []verbs.Tab{
				{TabID: "t1", SessionID: "left", State: "released", Title: "Left", URL: "https://left.example/", TargetID: "L"},
				{TabID: "t1", SessionID: "live", State: "live", Title: "Live", URL: "https://live.example/", TargetID: "V"},
			}
			return verbs.TabsOut{Tabs: slices.DeleteFunc(tabs, func(t verbs.Tab) bool { return in.Session != "" && t.SessionID != in.Session })}, nil
		}))
	b.serve("live",
		answers(verbs.Status, verbs.StatusOut{SessionID: "live", Running: true, State: "busy", LastActivityAt: time.Now().Add(-time.Minute), PID: 77, Pages: 2, URL: "https://live.example/"}),
		answers(verbs.Close, verbs.CloseOut{Closed: true, Kept: 2}))
	return b, r
}

func TestListsMergeDaemonsAndBroker(t *testing.T) {
	b, _ := twoSessions(t)
	tests := []struct{ args, want string }{
		{"--session live session list", "  left                 released  1 tab    https://left.example/\n* live                 busy      2 tabs   https://live.example/\n  none                 released  0 tabs\n"},
		{"tab --all", "  [left/t1] released Left - https://left.example/\n  [live/t1] live Live - https://live.example/\n"},
		{"--session left tab", "  [t1] Left - https://left.example/\n"},
		{"--session left status", "session left is not running\n"},
	}
	for _, tt := range tests {
		stdout, stderr, status := b.run(words(t, tt.args)...)
		if stdout != tt.want || stderr != "" || status != 0 {
			t.Errorf("%s: %q, %q, %d, want %q", tt.args, stdout, stderr, status, tt.want)
		}
	}
	stdout, _, _ := b.run("--session", "live", "session", "info", "--json")
	var info struct{ Data verbs.SessionInfoOut }
	if err := json.Unmarshal([]byte(stdout), &info); err != nil {
		t.Fatal(err)
	}
	if !info.Data.Active || info.Data.PID != 77 || info.Data.Entry.State != "busy" {
		t.Errorf("session info: %+v", info.Data)
	}
}

// session close --idle-ms counts the time since a session's last command, not since the session
// connected to the browser.
func TestIdleSinceTheLastCommand(t *testing.T) {
	b, _ := twoSessions(t)
	for _, tt := range []struct{ idle, want string }{
		{"600000", `"closed":[],"skipped":["live"]`}, {"30000", `"closed":["live"],"skipped":[]`},
	} {
		if stdout, stderr, _ := b.run("--json", "session", "close", "--idle-ms", tt.idle); !strings.Contains(stdout, tt.want) {
			t.Errorf("idle for %s: %s %s, want %s", tt.idle, stdout, stderr, tt.want)
		}
	}
}

func TestClosing(t *testing.T) {
	b, r := twoSessions(t)
	tests := []struct {
		args, want string
		released   []verbs.ReleaseIn
	}{
		{"--session left close", `{"closed":true,"kept":1}`, []verbs.ReleaseIn{{Session: "left", Force: true}}},
		{"--session left close --page", `{"closed":true,"kept":0}`, []verbs.ReleaseIn{{Session: "left", Page: true, Force: true}}},
		{"--session live close", `{"closed":true,"kept":2}`, nil},
		{"close --all", `{"closed":1,"kept":2,"sessions":["live"]}`, nil},
		{"close --all --page --force", `{"closed":2,"kept":2,"sessions":["left","live"]}`, []verbs.ReleaseIn{{Session: "left", Page: true, Force: true}}},
		{"--session left close --all --page", `{"closed":2,"kept":2,"sessions":["left","live"]}`, []verbs.ReleaseIn{{Session: "left", Page: true, Force: true}}},
	}
	for _, tt := range tests {
		stdout, stderr, status := b.run(append(words(t, tt.args), "--json")...)
		if !strings.Contains(stdout, `"data":`+tt.want) || stderr != "" || status != 0 {
			t.Errorf("%s: %q, %q, %d, want %s", tt.args, stdout, stderr, status, tt.want)
		}
		if got := r.take(); !slices.Equal(got, tt.released) {
			t.Errorf("%s released %v, want %v", tt.args, got, tt.released)
		}
	}
}

// A daemon that accepts connections and does not respond delays a list by a second, and is listed
// as wedged.
func TestWedgedDaemonDelaysListsBriefly(t *testing.T) {
	b, _ := twoSessions(t)
	place, err := b.root.Session("stuck")
	if err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", place.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, l)
	began := time.Now()
	stdout, _, status := b.run("session", "list")
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("session list took %v", took)
	}
	if !strings.Contains(stdout, "stuck                wedged") || !strings.Contains(stdout, "live                 busy") || status != 0 {
		t.Errorf("session list: %s, %d", stdout, status)
	}
	stdout, _, status = b.run("close", "--all", "--json")
	if !strings.Contains(stdout, `"sessions":["live"],"skipped":["stuck"]`) || status != 0 {
		t.Errorf("close --all: %s, %d", stdout, status)
	}
	stdout, _, status = b.run("close", "--all", "--force", "--json")
	if !strings.Contains(stdout, "1 of 2 sessions could not be closed: stuck: ") || !strings.Contains(stdout, `"closed":["live"]`) || status == 0 {
		t.Errorf("close --all --force: %s, %d", stdout, status)
	}
}
