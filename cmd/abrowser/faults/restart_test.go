//go:build linux

package faults_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// placesOf lists the tabs of all sessions in two forms. The slice places has a text for each tab:
// session, tab id, label, URL, and whether the tab is active. These texts must be the same after a
// restart of the browser. The map targets has the URL of each tab by target id. The target ids must
// be different after a restart.
func placesOf(t *testing.T, h *e2e.Home) (places []string, targets map[string]string) {
	t.Helper()
	targets = map[string]string{}
	for _, tab := range e2e.Ask[verbs.TabsOut](t, h, "", "tab", "list", "--all").Tabs {
		label := ""
		if tab.Label != nil {
			label = *tab.Label
		}
		places = append(places, fmt.Sprint(tab.SessionID, "/", tab.TabID, " ", label, " ", tab.URL, " active ", tab.Active))
		targets[tab.TargetID] = tab.URL
	}
	slices.Sort(places)
	return places, targets
}

// When the browser dies, it is started again, and all tabs are opened again at their URLs. This
// holds for a session that runs a command, for a session that runs none, and for a session that
// was closed.
func TestBrowserDies(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	watch := e2e.Observe(t, h)
	h.Text(t, "works", "open", s.URL("/form"))
	h.Text(t, "works", "tab", "new", s.URL("/page/two"), "--label", "docs")
	h.Text(t, "works", "tab", "t1")
	h.Text(t, "rests", "open", s.URL("/page/rests"))
	h.Text(t, "over", "open", s.URL("/page/over"))
	h.Text(t, "over", "tab", "new", s.URL("/page/more"))
	h.Text(t, "over", "close")
	late := s.URL("/slow?ms=1500") // opening the page again takes 1.5 s as well
	h.Text(t, "late", "open", late)
	want, before := placesOf(t, h)
	if len(want) != 6 {
		t.Fatalf("the tabs are %q, want 6", want)
	}
	waits := h.Begin(t, "works", "--json", "wait", "#never", "--timeout", "60000")
	if !e2e.Await(20*time.Second, func() bool { return e2e.Ask[verbs.StatusOut](t, h, "works", "status").Command == "wait" }) {
		t.Fatal("the command does not run")
	}
	e2e.KillBrowser(t, h)

	r := <-waits.Ended
	e := r.Envelope(t)
	if e.Code != wire.CodeBrowserRestart || e.Error == nil || !strings.Contains(*e.Error, "t1 was opened again at "+s.URL("/form")) {
		t.Errorf("the command during which the browser died: %s\nwant %s with the page's address", r, wire.CodeBrowserRestart)
	}
	r = h.Try("works", "get", "url")
	const loading = "abrowser: warning: tab t1 does not answer yet\n" // while it is being opened again
	if strings.TrimSpace(r.Stdout) != s.URL("/form") || r.Stderr != "" && r.Stderr != loading {
		t.Errorf("the next command: %s", r)
	}
	if got := h.Text(t, "late", "eval", "location.href"); got != `"`+late+`"` {
		t.Errorf("a page that is being opened again is at %s, want %s", got, late)
	}
	h.Text(t, "works", "fill", "#name", "typed")
	for _, session := range []string{"rests", "over"} {
		r := h.Try(session, "get", "title")
		if r.Status != wire.ExitDone || !strings.Contains(r.Stderr, "the browser died") || !strings.Contains(r.Stderr, "t1 was opened again at "+s.URL("/page/"+session)) {
			t.Errorf("the first command of %s: %s\nwant a warning with the page's address", session, r)
		}
		if r := h.Try(session, "click", "h1"); r.Status != wire.ExitDone || r.Stdout+r.Stderr != "" {
			t.Errorf("the second command of %s: %s", session, r)
		}
	}
	h.Text(t, "over", "close")

	got, now := placesOf(t, h)
	if !slices.Equal(got, want) {
		t.Errorf("the tabs are\n%q, were\n%q", got, want)
	}
	pages := watch.Pages(t)
	// Ignore pages at about:blank, because no session has opened one.
	maps.DeleteFunc(pages, func(_, url string) bool { return url == "about:blank" })
	if !maps.Equal(pages, now) {
		t.Errorf("the browser has the pages %v, want %v", pages, now)
	}
	for target := range before {
		if now[target] != "" {
			t.Errorf("target %s is one of the dead browser's", target)
		}
	}
	if n := len(h.Of(e2e.KindBrowser)); n != 1 {
		t.Errorf("%d browsers run", n)
	}
}

// When a restarted browser opens a tab again, the tab's server may not respond any more. The session
// can still go to another page.
func TestReopenedTabWhoseServerIsSilent(t *testing.T) {
	t.Parallel()
	var silent atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if silent.Load() {
			<-r.Context().Done()
			return
		}
		_, _ = fmt.Fprint(w, "<title>silent</title>") // an error shows in the title
	}))
	t.Cleanup(server.Close) // waits until the browser, which ends with the home, has left
	s, h := site.Start(t), e2e.NewHome(t)
	h.Text(t, "task", "open", server.URL)
	silent.Store(true)
	e2e.KillBrowser(t, h)
	_ = h.Try("task", "get", "url") // may fail if it runs while the browser dies
	r := h.Try("task", "get", "url")
	if strings.TrimSpace(r.Stdout) != server.URL+"/" || r.Stderr != "abrowser: warning: tab t1 does not answer yet\n" {
		t.Errorf("get url: %s", r)
	}
	r = h.Try("task", "eval", "document.title")
	if r.Stdout != "\"\"\n" || !strings.Contains(r.Stderr, "warning: tab t1 is blank: its document has not come yet") {
		t.Errorf("eval: %s", r)
	}
	h.Text(t, "task", "open", s.URL("/page/two"))
	if got := h.Text(t, "task", "get", "title"); got != "two" {
		t.Errorf("the page is %q", got)
	}
	if tabs := e2e.Ask[verbs.TabsOut](t, h, "task", "tab", "list").Tabs; len(tabs) != 1 || tabs[0].TabID != "t1" || tabs[0].URL != s.URL("/page/two") {
		t.Errorf("the tabs are %+v", tabs)
	}
}

// A cookie that was set before a command returned is not lost when the browser is killed, or when
// all processes are killed at once. This holds for persistent cookies and for session cookies.
func TestLoginOutlivesTheBrowser(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	for _, round := range []struct {
		name  string
		kinds []string
	}{{"browser", []string{e2e.KindBrowser}}, {"all", []string{e2e.KindKeeper, e2e.KindBroker, e2e.KindBrowser, e2e.KindDaemon}}} {
		t.Run(round.name, func(t *testing.T) {
			h.Text(t, "task", "open", s.URL("/login"))
			h.Text(t, "task", "fill", "#user", "ada-"+round.name)
			h.Text(t, "task", "click", "#in")
			h.Text(t, "task", "wait", "#who")
			h.Text(t, "task", "eval", "document.cookie = 'visit="+round.name+"; path=/'")
			for _, kind := range round.kinds {
				for _, p := range h.Of(kind) {
					_ = e2e.Kill(p) // an error means that the process has already ended, as its parent did
				}
			}
			if !e2e.Await(20*time.Second, func() bool {
				r := h.Try("task", "open", s.URL("/me"))
				return r.Status == wire.ExitDone
			}) {
				t.Fatal("no command succeeds within 20 s")
			}
			if who := h.Text(t, "task", "get", "text", "#who"); who != "ada-"+round.name {
				t.Errorf("after the kill of kind %q the site sees the user %q", round.name, who)
			}
			if got := h.Text(t, "task", "eval", "document.cookie"); got != `"visit=`+round.name+`"` {
				t.Errorf("the session cookie is %s", got)
			}
		})
	}
}

// `browser stop` closes the tabs of all sessions for good: the next browser opens none of them
// again. Session cookies are kept.
func TestStoppedBrowserStartsEmpty(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/page/one"))
	h.Text(t, "task", "eval", "document.cookie = 'visit=1; path=/'")
	h.Text(t, "other", "open", s.URL("/page/two"))
	h.Text(t, "other", "close")
	h.Text(t, "task", "browser", "stop")
	if e := h.Fails(t, wire.CodePageClosed, "task", "get", "title"); e.Error == nil || !strings.Contains(*e.Error, s.URL("/page/one")) {
		t.Errorf("after a stop: %+v", e)
	}
	if got, _ := placesOf(t, h); len(got) != 0 {
		t.Errorf("after a stop the tabs are %q, want none", got)
	}
	h.Text(t, "task", "open", s.URL("/page/new"))
	if got := h.Text(t, "task", "eval", "document.cookie"); got != `"visit=1"` {
		t.Errorf("after a stop the session cookie is %s", got)
	}
}

// If the broker dies while a session runs no command, the session's daemon reconnects to the next
// broker by itself. So the session does not count as ended: its tab is live and not released, and
// `tab prune` does not close the tab.
func TestBrokerDiesUnderSessionsAtRest(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "rests", "open", s.URL("/page/rests"))
	if err := e2e.Kill(h.Of(e2e.KindBroker)[0]); err != nil {
		t.Fatal(err)
	}
	// Five seconds after its start, a broker releases the tabs of sessions that have not connected
	// to it. The test waits longer than that, to see that this tab is not released.
	time.Sleep(8 * time.Second)
	if tabs := e2e.Ask[verbs.TabsOut](t, h, "", "tab", "list", "--all").Tabs; len(tabs) != 1 || tabs[0].State != "live" {
		t.Errorf("the tabs are %+v, want one that is live", tabs)
	}
	h.Text(t, "", "tab", "prune", "--all")
	if r := h.Try("rests", "get", "url"); strings.TrimSpace(r.Stdout) != s.URL("/page/rests") || r.Stderr != "" {
		t.Errorf("the session's next command: %s", r)
	}
}
