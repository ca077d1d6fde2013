package web_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// rests ends the daemon of a session, as happens when the daemon is idle for too long. It waits
// until the broker lists the session's tabs as released, which means that no daemon uses them.
func rests(t *testing.T, s *daemontest.Session) {
	t.Helper()
	s.End(t)
	rested(t, s)
}

func rested(t *testing.T, s *daemontest.Session) {
	t.Helper()
	broker := client.Client{Endpoint: s.Home.Broker(t), Session: s.Name}.KeepAlive()
	t.Cleanup(func() { _ = broker.Close() })
	// No event announces that the tabs are released.
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		tabs := do(t, &daemontest.Session{Client: broker}, verbs.BrokerTabs, verbs.TabsIn{Session: s.Name}).Tabs
		if !slices.ContainsFunc(tabs, func(tab verbs.Tab) bool { return tab.State != "released" }) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the session's tabs are not released: %+v", tabs)
		}
	}
}

// The settings of an agent apply again when the agent returns to its session, even under another
// daemon. They do not apply to another agent, which finds the page as the browser shows it without
// settings.
func TestSettingsBelongToAgent(t *testing.T) {
	t.Parallel()
	web := site.Start(t)
	first := wire.NewAgent(1<<30 - 1) // no process has this pid
	tests := []struct {
		name   string
		next   string // the agent that uses the session next
		before func(t *testing.T, s *daemontest.Session)
		kept   bool
		sets   bool // the next agent sets a policy of its own before it acts
	}{
		{name: "the same agent", next: first, kept: true},
		{name: "another agent", next: wire.NewAgent(1<<30 - 2)},
		{name: "the task of the session's name", next: ""},
		{name: "another agent after a reader", next: "second", before: func(t *testing.T, s *daemontest.Session) {
			do(t, as(t, s, "reader"), verbs.GetTitle, verbs.TabIn{})
		}},
		{name: "another agent, which sets something itself", next: "second", sets: true, before: func(t *testing.T, s *daemontest.Session) {
			do(t, as(t, s, "second"), verbs.PolicyNotification, verbs.NotificationPolicyIn{Mode: "allow"})
		}},
		{name: "another agent, which sets something after a reader", next: "second", sets: true, before: func(t *testing.T, s *daemontest.Session) {
			do(t, as(t, s, "reader"), verbs.GetTitle, verbs.TabIn{})
			do(t, as(t, s, "second"), verbs.PolicyNotification, verbs.NotificationPolicyIn{Mode: "allow"})
		}},
	}
	sessions, recordings := make([]*daemontest.Session, len(tests)), t.TempDir()
	har := func(i int) string { return filepath.Join(recordings, strconv.Itoa(i)+".har") }
	for i := range tests {
		s := home.Start(t)
		mine := as(t, s, first)
		do(t, mine, verbs.Open, verbs.OpenIn{URL: web.URL("/asks"), Device: "iPhone 15", HAR: har(i), OnEnd: "close"})
		do(t, mine, verbs.SetHeaders, verbs.HeadersIn{Headers: `{"X-Test":"yes"}`})
		do(t, mine, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept"})
		s.End(t)
		sessions[i] = s
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rested(t, sessions[i])
			s := home.Resume(t, sessions[i].Name)
			if tt.before != nil {
				tt.before(t, s)
			}
			next := as(t, s, tt.next)
			got := eval(t, next, "fetch('/isolation/headers').then(r => r.json()).then(h => "+shape+" + ' ' + h['X-Test'])")
			want, mode := `"1280,1,false,false undefined"`, verbs.PolicyRaise
			if tt.kept {
				want, mode = `"393,3,true,true yes"`, "accept"
			}
			p := do(t, next, verbs.PolicyStatus, verbs.Empty{}).Policies
			if got != want || p.Dialog != mode || (p.Notification == "allow") != tt.sets {
				t.Errorf("the page is %s, want %s; dialogs: %s, want %s; notifications: %s", got, want, p.Dialog, mode, p.Notification)
			}
			if raw, err := os.ReadFile(har(i)); (err == nil) == tt.kept || !tt.kept && !strings.Contains(string(raw), "/asks") {
				t.Errorf("the recording: %v %.100q", err, raw)
			}
			if kept := do(t, next, verbs.Close, verbs.CloseIn{}).Kept; (kept == 0) != tt.kept {
				t.Errorf("%d tabs stay", kept)
			}
		})
	}
}

// While an agent runs, its session belongs to the agent even without a daemon. Other agents may
// only read in it.
func TestIdleSessionOfRunningAgent(t *testing.T) {
	t.Parallel()
	web, s := site.Start(t), home.Start(t)
	agent := wire.NewAgent(os.Getpid())
	open(t, as(t, s, agent), web.URL("/page/one"))
	do(t, as(t, s, agent), verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept"})
	rests(t, s)
	s = home.Resume(t, s.Name)
	for _, who := range []string{"", "other", wire.NewAgent(os.Getpid())} {
		other := as(t, s, who)
		fails(t, other, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "dismiss"}, wire.CodeOwnership) // before there is a connection
		fails(t, other, verbs.Close, verbs.CloseIn{Page: true}, wire.CodeOwnership)
		broker := client.Client{Endpoint: s.Home.Broker(t), Session: s.Name, Agent: who}.KeepAlive()
		t.Cleanup(func() { _ = broker.Close() })
		fails(t, &daemontest.Session{Client: broker}, verbs.BrokerRelease, verbs.ReleaseIn{Session: s.Name, Page: true}, wire.CodeOwnership)
	}
	fails(t, as(t, s, "other"), verbs.Open, verbs.OpenIn{URL: web.URL("/page/taken")}, wire.CodeOwnership)
	if got := do(t, as(t, s, "reader"), verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/page/one") {
		t.Errorf("it is read at %s", got)
	}
	mine := as(t, s, agent)
	do(t, mine, verbs.Eval, verbs.EvalIn{Script: "1"})
	if p := do(t, mine, verbs.PolicyStatus, verbs.Empty{}).Policies; p.Dialog != "accept" {
		t.Errorf("its policy is %s", p.Dialog)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, _, err := client.Do(ctx, mine.Client, verbs.Close, verbs.CloseIn{}); err != nil {
		t.Error(err)
	}
	s.End(t)
	open(t, as(t, home.Resume(t, s.Name), "other"), web.URL("/page/two")) // the session was ended
}
