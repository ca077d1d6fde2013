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

// asking is a script that opens a dialog when the site answers /gate/NAME, which it does after
// s.Open(NAME). Directly before the dialog, the script increments the site's counter NAME. When
// the dialog is closed, the script sets the page's title to "asked" if the dialog was open for
// more than 10 ms.
const asking = `fetch("/gate/%[1]s").then(() => {
	const report = new XMLHttpRequest();
	report.open("POST", "/count/%[1]s", false);
	report.send();
	const began = performance.now();
	alert("is anybody there?");
	document.title = performance.now() - began > 10 ? "asked" : "no dialog was open";
}), 0`

// dialogAtGate runs the script in the constant asking in the session's page. The returned function
// opens the gate and returns when the dialog is open.
func dialogAtGate(t *testing.T, h *e2e.Home, s *site.Site, session, gate string) (open func()) {
	t.Helper()
	h.Text(t, session, "eval", fmt.Sprintf(asking, gate))
	return func() {
		t.Helper()
		s.Open(gate)
		if !e2e.Await(20*time.Second, func() bool { return s.Count(gate) == 1 }) {
			t.Fatal("the page does not open its dialog")
		}
		// The page opens the dialog directly after it has increased the counter, so wait a moment.
		// Do not look for the dialog over CDP: if a client has received the event of a dialog, the
		// broker does not close the dialog itself.
		time.Sleep(300 * time.Millisecond)
	}
}

// A page may open a dialog while no client is connected to the page, because its session was
// closed or because the daemon and the driver were killed. The dialog does not block the page for
// the session's next command.
func TestDialogWhileNothingIsConnected(t *testing.T) {
	t.Parallel()
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
					_ = e2e.Kill(p) // the driver may have ended with its daemon
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
				t.Errorf("the title is %q, want the one after the dialog", got)
			}
			h.Text(t, session, "open", s.URL("/"))
		})
	}
}

// If a client gets the event of a dialog and is killed before it closes the dialog, the dialog
// does not block the page.
func TestDialogWhoseClientIsKilled(t *testing.T) {
	t.Parallel()
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
				e2e.Stop(t, p) // so that the driver does not close the dialog
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
				_ = syscall.Kill(p.PID, syscall.SIGCONT) // the driver may have been killed
			}
			if got := h.Text(t, name, "get", "title"); got != "asked" {
				t.Errorf("the title is %q, want the one after the dialog", got)
			}
		})
	}
}

// insisting is a script that opens one dialog after the other for a number of milliseconds. Then
// it sets the page's title to "through".
const insisting = `(() => {
	const end = performance.now() + %d;
	const next = () => {
		if (performance.now() > end) { document.title = "through"; return; }
		confirm("again?");
		setTimeout(next, Math.random() * 4);
	};
	setTimeout(next);
})(), 0`

// Dialogs that open at any moment while a broker is replaced do not block their pages. This
// includes the time in which the CDP sessions of the old broker have ended and the new broker has
// none yet.
func TestDialogsWhileTheBrokerIsReplaced(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	const insist = 8 * time.Second
	// When a broker ends for the fifth time within 20 s, the keeper gives up and ends the browser.
	const kills = 4
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
		// The pause is random, so that each kill hits another moment of the broker's start.
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
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
