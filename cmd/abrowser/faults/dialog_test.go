//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// asking makes the page open a dialog when a gate opens. The page reports that directly
// before. Its title tells afterwards whether the dialog has held it up.
const asking = `fetch("/gate/%[1]s").then(() => {
	const report = new XMLHttpRequest();
	report.open("POST", "/count/%[1]s", false);
	report.send();
	const began = performance.now();
	alert("is anybody there?");
	document.title = performance.now() - began > 10 ? "asked" : "no dialog was open";
}), 0`

// dialogAtGate makes the session's page wait at a gate. open lets the page go on, and returns
// when it has opened its dialog.
func dialogAtGate(t *testing.T, h *e2e.Home, s *site.Site, session, gate string) (open func()) {
	t.Helper()
	h.Text(t, session, "eval", fmt.Sprintf(asking, gate))
	return func() {
		t.Helper()
		s.Open(gate)
		if !e2e.Await(20*time.Second, func() bool { return s.Count(gate) == 1 }) {
			t.Fatal("the page does not open its dialog")
		}
		// The dialog follows the report at once. A client that could see it would change which
		// client the broker gives the dialog to.
		time.Sleep(300 * time.Millisecond)
	}
}

// A dialog that a page opens while nothing is connected to it, because its task is done
// or because daemon and driver were killed, does not block the page for those who go on.
func TestDialogWhileNothingIsConnected(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
	for _, tt := range []struct {
		name, session string
		part          func(session string)
	}{
		{"the task is done", "done", func(session string) { h.Text(t, session, "close") }},
		{"daemon and driver are killed", "killed", func(string) {
			for _, kind := range []string{e2e.KindDaemon, e2e.KindDriver} {
				for _, p := range h.Of(kind) {
					_ = e2e.Kill(p) // the one may end with the other
				}
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			session := tt.session
			h.Text(t, session, "open", s.URL("/form"))
			h.Text(t, session, "eval", fmt.Sprintf(asking, session))
			tt.part(session)
			s.Open(session)
			if !e2e.Await(20*time.Second, func() bool { return s.Count(session) == 1 }) {
				t.Fatal("the page does not open its dialog")
			}
			if got := h.Text(t, session, "get", "title"); got != "asked" {
				t.Errorf("the title is %q, want that of after the dialog", got)
			}
			h.Text(t, session, "open", s.URL("/"))
		})
	}
}

// A dialog that was told to a client which is killed before it could close the dialog does
// not block the page either.
func TestDialogWhoseClientIsKilled(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
	for name, kinds := range map[string][]string{
		"driver":            {e2e.KindDriver},
		"broker":            {e2e.KindBroker},
		"broker-and-driver": {e2e.KindBroker, e2e.KindDriver},
	} {
		t.Run(name, func(t *testing.T) {
			h.Text(t, name, "open", s.URL("/form"))
			open := dialogAtGate(t, h, s, name, name)
			drivers := h.Of(e2e.KindDriver)
			for _, p := range drivers {
				e2e.Stop(t, p) // so that it does not close the dialog
			}
			open()
			for _, kind := range kinds {
				for _, p := range h.Of(kind) {
					if err := e2e.Kill(p); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, p := range drivers {
				_ = syscall.Kill(p.PID, syscall.SIGCONT) // it may have been killed
			}
			if got := h.Text(t, name, "get", "title"); got != "asked" {
				t.Errorf("the title is %q, want that of after the dialog", got)
			}
		})
	}
}

// insisting makes the page open one dialog after the other for a time in milliseconds.
const insisting = `(() => {
	const end = performance.now() + %d;
	const next = () => {
		if (performance.now() > end) { document.title = "through"; return; }
		confirm("again?");
		setTimeout(next, Math.random() * 4);
	};
	setTimeout(next);
})(), 0`

// Dialogs that open at any moment of a broker's restart do not block their pages: also
// between the old broker's CDP sessions and those of the new one.
func TestDialogsWhileTheBrokerIsReplaced(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
	const insist = 8 * time.Second
	const kills = 4 // the browser is replaced, too, at the fifth in so short a time
	var sessions []string
	for i := range 10 {
		sessions = append(sessions, fmt.Sprintf("s%d", i))
		h.Text(t, sessions[i], "open", s.URL("/form"))
	}
	began := time.Now()
	for _, session := range sessions {
		h.Text(t, session, "eval", fmt.Sprintf(insisting, insist.Milliseconds()))
	}
	for range kills {
		var brokers []e2e.Process
		if !e2e.Await(20*time.Second, func() bool { brokers = h.Of(e2e.KindBroker); return len(brokers) > 0 }) {
			t.Fatal("the broker is not started again")
		}
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond) // each kill hits another moment of the start
		if err := e2e.Kill(brokers[0]); err != nil {
			t.Fatal(err)
		}
	}
	for _, session := range sessions {
		last := ""
		through := func() bool {
			r := h.Try(session, "get", "title")
			last = r.String()
			return strings.TrimSpace(r.Stdout) == "through"
		}
		if !e2e.Await(time.Until(began.Add(insist+20*time.Second)), through) {
			t.Errorf("%s: the page does not get through its dialogs: %s", session, last)
		}
	}
}
