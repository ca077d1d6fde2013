//go:build linux

package isolation_test

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	navigations = 20
	tasks       = 10
)

// Two tasks navigate at the same time. After every navigation, each task sees its own page, and in
// the end the browser has two new pages. In each round, the site waits until it has the requests
// of both tasks before it answers them, so that neither task can be ahead.
func TestTwoTasksSideBySide(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewRacedHome(t)
	watch := e2e.Observe(t, h)
	h.Text(t, "first", "open", s.URL("/page/first"))
	before := watch.Pages(t)

	var together sync.WaitGroup
	for _, task := range []string{"left", "right"} {
		together.Go(func() {
			for round := range navigations {
				if err := navigate(h, s, task, round); err != nil {
					t.Errorf("task %s, navigation %d: %v", task, round, err)
					return
				}
			}
		})
	}
	together.Wait()

	after := watch.Pages(t)
	maps.DeleteFunc(after, func(id, _ string) bool { return before[id] != "" })
	if len(after) != 2 {
		t.Errorf("the browser has %d new pages, want 2: %v", len(after), after)
	}
}

// navigate opens the task's page for a round. It returns an error if the tab then shows another
// page.
func navigate(h *e2e.Home, s *site.Site, task string, round int) error {
	address := s.URL(fmt.Sprintf("/meet/%d/%s", round, task))
	want := fmt.Sprintf("%s in round %d", task, round)
	opened, err := e2e.TryAsk[verbs.OpenOut](h, task, "open", address)
	if err != nil {
		return err
	}
	if opened.URL != address || opened.Title != want {
		return fmt.Errorf("open answered %q at %s, want %q at %s", opened.Title, opened.URL, want, address)
	}
	shown, err := e2e.TryAsk[verbs.GetTextOut](h, task, "get", "text", "h1")
	if err == nil && shown.Value != want {
		err = fmt.Errorf("the page says %q, want %q", shown.Value, want)
	}
	return err
}

// Ten tasks run their first commands at the same time, three commands each. At that time, no
// process of abrowser runs, and the files that a crash leaves are on disk. Each task gets one
// daemon and one page. All share one keeper, one broker and one browser, and no command fails. This
// is repeated 5 times, or 50 times if ABROWSER_TEST_LONG is set.
func TestTenTasksColdAtOnce(t *testing.T) {
	rounds := 5
	if os.Getenv("ABROWSER_TEST_LONG") != "" {
		rounds = 50
	}
	s := site.Start(t)
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) { tenTasksCold(t, s) })
	}
}

func tenTasksCold(t *testing.T, s *site.Site) {
	h := e2e.NewHome(t)
	names := make([]string, tasks)
	for i := range names {
		names[i] = fmt.Sprintf("task_%d", i)
	}
	leaveRubbish(t, h, names)

	var together sync.WaitGroup
	gate := make(chan struct{})
	for _, name := range names {
		for _, args := range [][]string{{"open", s.URL("/page/" + name)}, {"eval", "1 + 1"}, {"snapshot"}} {
			together.Go(func() {
				<-gate
				if r := h.Try(name, args...); r.Status != wire.ExitDone {
					t.Errorf("session %s: %s", name, r)
				}
			})
		}
	}
	close(gate)
	together.Wait()

	for kind, want := range map[string]int{e2e.KindDaemon: tasks, e2e.KindKeeper: 1, e2e.KindBroker: 1, e2e.KindBrowser: 1} {
		if found := h.Of(kind); len(found) != want {
			t.Errorf("%d processes of kind %s, want %d: %v", len(found), kind, want, found)
		}
	}
	owners := map[string]int{}
	for _, tab := range e2e.Ask[verbs.TabsOut](t, h, "task_0", "tab", "list", "--all").Tabs {
		owners[tab.SessionID]++
		if want := s.URL("/page/" + tab.SessionID); tab.URL != want {
			t.Errorf("session %s is at %s, want %s", tab.SessionID, tab.URL, want)
		}
	}
	for _, name := range names {
		if owners[name] != 1 {
			t.Errorf("session %s has %d tabs, want 1", name, owners[name])
		}
	}
	if len(owners) != tasks {
		t.Errorf("tabs of %d sessions, want %d: %v", len(owners), tasks, owners)
	}
}

// leaveRubbish creates the files that killed processes leave: sockets without a listener, and lock
// files that no process holds.
func leaveRubbish(t *testing.T, h *e2e.Home, names []string) {
	t.Helper()
	root := home.Root{Dir: h.Dir}
	if err := root.Make(); err != nil {
		t.Fatal(err)
	}
	var places []home.Endpoint
	for _, name := range names {
		p, err := root.Session(name)
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, p)
	}
	browser, err := root.Browser("default")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(places, browser) {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{p.Lock, p.Start} {
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("4194304\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
