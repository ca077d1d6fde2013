//go:build linux

package faults_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// A browser that is as slow as if many sessions start at once may take longer to open a tab than
// commands usually wait. A command with enough time gets its tab.
func TestTabOfASlowBrowser(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/page/one"))
	browser := h.Of(e2e.KindBrowser)[0].PID
	if err := syscall.Kill(browser, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	opening := h.Begin(t, "task", "--json", "tab", "new", s.URL("/page/two"), "--timeout", "60000")
	select {
	case r := <-opening.Ended:
		t.Errorf("while the browser is stopped: %s", r)
	case <-time.After(15 * time.Second): // a tab took this long with ten cold sessions on a slow machine
	}
	if err := syscall.Kill(browser, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r := <-opening.Ended
	if !r.Envelope(t).Success {
		t.Fatalf("the tab: %s", r)
	}
	if tabs := e2e.Ask[verbs.TabsOut](t, h, "task", "tab", "list").Tabs; len(tabs) != 2 || tabs[1].URL != s.URL("/page/two") {
		t.Errorf("the tabs are %+v", tabs)
	}
}
