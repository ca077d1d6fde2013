//go:build linux

package e2e

import (
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// Owners returns the number of tabs of each session that has tabs.
func Owners(t *testing.T, h *Home) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, tab := range Ask[verbs.TabsOut](t, h, "", "tab", "list", "--all").Tabs {
		n[tab.SessionID]++
	}
	return n
}

// KillBrowser kills the home's browser and waits for its end.
func KillBrowser(t *testing.T, h *Home) {
	t.Helper()
	browser := h.Of(KindBrowser)
	if len(browser) != 1 {
		t.Fatalf("there are %d browsers: %v", len(browser), browser)
	}
	if err := Kill(browser[0]); err != nil {
		t.Fatal(err)
	}
}

// AwaitNoDaemon waits for the end of a session's daemon.
func AwaitNoDaemon(t *testing.T, h *Home, session string) {
	t.Helper()
	if !Await(20*time.Second, func() bool { return h.Daemon(session).PID == 0 }) {
		t.Fatalf("the daemon of %s does not end: %s", session, h.Daemon(session))
	}
}

// Mark identifies a document, even among documents with the same URL. Value is a random value that
// each document chooses when it is loaded. Typed is the content of a text field.
type Mark struct{ Target, URL, Value, Typed string }

// MarkOf returns the mark of the session's only tab. The tab must show the page /secret of package
// site. Value is then the result of the page's function reveal, and Typed is the content of its
// text field #kept.
func MarkOf(t *testing.T, h *Home, session string) Mark {
	t.Helper()
	tabs := Ask[verbs.TabsOut](t, h, session, "tab", "list").Tabs
	if len(tabs) != 1 {
		t.Fatalf("session %s has %d tabs, want 1: %v", session, len(tabs), tabs)
	}
	return Mark{
		Target: tabs[0].TargetID, URL: h.Text(t, session, "get", "url"),
		Value: h.Text(t, session, "eval", "reveal()"), Typed: h.Text(t, session, "get", "value", "#kept"),
	}
}
