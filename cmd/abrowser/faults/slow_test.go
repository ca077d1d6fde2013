//go:build linux

package faults_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
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
		t.Fatalf("while the browser is stopped: %s", r)
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

// A page of a slow browser may take longer to respond to a new daemon than commands usually wait.
// Commands with enough time wait for it.
func TestPageOfASlowBrowser(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	commands := map[string][]string{"loads": {"open", s.URL("/page/two")}, "reads": {"eval", "document.title"}}
	running, renderers := map[string]e2e.Running{}, []int{}
	for session := range commands {
		h.Text(t, session, "open", s.URL("/page/one"))
		renderer := rendererOf(t, h, session).PID
		if err := errors.Join(syscall.Kill(renderer, syscall.SIGSTOP), e2e.Kill(h.Daemon(session))); err != nil {
			t.Fatal(err)
		}
		renderers = append(renderers, renderer)
	}
	for session, command := range commands {
		running[session] = h.Begin(t, session, append(command, "--json", "--timeout", "60000")...)
	}
	select {
	case r := <-running["loads"].Ended:
		t.Fatalf("while the page is stopped: %s", r)
	case r := <-running["reads"].Ended:
		t.Fatalf("while the page is stopped: %s", r)
	case <-time.After(10 * time.Second): // a page took over 6 s in a browser that was restarted on a busy machine
	}
	for _, renderer := range renderers {
		if err := syscall.Kill(renderer, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	for session, want := range map[string]string{"loads": `"title":"two"`, "reads": `"result":"one"`} {
		if r := <-running[session].Ended; !strings.Contains(r.Stdout, want) {
			t.Errorf("%s, want %s", r, want)
		}
	}
}

// A video has at least one picture of its page, also if the browser is so slow that it has sent none
// when the video ends.
func TestVideoOfAPageThatIsDrawnLate(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/page/one"))
	drawer := h.Drawer(t)
	e2e.Stop(t, drawer)
	h.Text(t, "task", "record", "start", filepath.Join(t.TempDir(), "film.webm"))
	ending := h.Begin(t, "task", "--json", "record", "stop")
	select {
	case r := <-ending.Ended:
		t.Fatalf("while nothing is drawn: %s", r)
	case <-time.After(time.Second):
	}
	if err := syscall.Kill(drawer.PID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r := <-ending.Ended
	var out verbs.RecordStopOut
	if err := json.Unmarshal(r.Envelope(t).Data, &out); err != nil || out.Frames < 20 { // record start waits 2 s for a picture
		t.Errorf("the video: %s", r)
	}
}
