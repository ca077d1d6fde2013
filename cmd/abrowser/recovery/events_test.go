//go:build linux

package recovery_test

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A reader of the events goes on when the broker or the browser is killed. It gets each event once,
// with growing numbers, and learns that the browser was lost. When the broker has died, the list of
// tabs still has the last command.
func TestEventsAcrossDeaths(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	r := h.Begin(t, "", "--json", "events")
	h.Text(t, "a", "open", s.URL("/page/one"))
	happened(t, h, "open")
	if err := e2e.Kill(h.Of(e2e.KindBroker)[0]); err != nil {
		t.Fatal(err)
	}
	h.Text(t, "a", "get", "title")
	happened(t, h, "get title")
	if err := e2e.Kill(h.Of(e2e.KindBroker)[0]); err != nil {
		t.Fatal(err)
	}
	if tabs := e2e.Ask[verbs.TabsOut](t, h, "", "tabs").Tabs; len(tabs) != 1 || tabs[0].Command == nil || tabs[0].Command.Verb != "get title" {
		t.Errorf("after get title and the broker's death the tabs are %+v", tabs)
	}
	e2e.KillBrowser(t, h)
	// The daemon may notice the death only during the command, which then fails, and says so.
	if r := h.Try("a", "get", "text", "h1"); r.Status != wire.ExitDone && !strings.Contains(r.Stderr, "the browser died while") {
		t.Fatalf("%s", r)
	}
	happened(t, h, "get text")
	h.Text(t, "a", "close", "--page")
	time.Sleep(time.Second) // for the reader, which is at most as late as a search for browsers
	if err := syscall.Kill(r.PID, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	ended := <-r.Ended
	if ended.Status != wire.ExitDone {
		t.Fatalf("%s", ended)
	}
	var kinds []string
	last := int64(0)
	for line := range strings.Lines(ended.Stdout) {
		var e struct{ Data verbs.Event }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if e.Data.Number <= last {
			t.Errorf("event %d follows %d", e.Data.Number, last)
		}
		last = e.Data.Number
		what := e.Data.Kind
		if what == verbs.EventCommand {
			what = e.Data.Command
		}
		kinds = append(kinds, what)
	}
	all := strings.Join(kinds, ", ")
	for _, once := range []string{"opened", "open", "get title", "browser-lost", "get text", "closed"} {
		if n := strings.Count(", "+all+",", ", "+once+","); n != 1 {
			t.Errorf("%d times %s among %s", n, once, all)
		}
	}
	if strings.Contains(all, "missed") {
		t.Errorf("the reader has missed events: %s", all)
	}
}

// happened waits until the broker knows that a command has ended.
func happened(t *testing.T, h *e2e.Home, command string) {
	t.Helper()
	if !e2e.Await(10*time.Second, func() bool {
		for _, e := range e2e.Ask[verbs.EventsOut](t, h, "", "events", "--once").Events {
			if e.Command == command {
				return true
			}
		}
		return false
	}) {
		t.Fatalf("no event says that %s has ended", command)
	}
}
