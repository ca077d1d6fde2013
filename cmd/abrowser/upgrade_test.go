//go:build linux

package main_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// runs waits until the session is running the command with the given verb.
func runs(t *testing.T, h *e2e.Home, session, verb string) {
	t.Helper()
	if !e2e.Await(20*time.Second, func() bool { return e2e.Ask[verbs.StatusOut](t, h, session, "status").Command == verb }) {
		t.Fatalf("session %s does not run %s", session, verb)
	}
}

// If the build of a command differs from that of the session's daemon, the command replaces an idle
// daemon. It fails if the daemon is running another command. The browser and its broker keep
// running.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	old := h.Binary
	h.Text(t, "task", "open", s.URL("/secret"))
	h.Text(t, "task", "fill", "#kept", "typed")
	want := e2e.MarkOf(t, h, "task")
	before := e2e.Ask[verbs.BrowserStatusOut](t, h, "", "browser", "status")
	rebuilt := filepath.Join(h.Outer, "abrowser")
	if err := e2e.Build(rebuilt, "main.mark", "rebuilt"); err != nil {
		t.Fatal(err)
	}
	waits := h.Begin(t, "task", "wait", "4000")
	runs(t, h, "task", "wait")
	h.Binary = rebuilt
	if e := h.Fails(t, wire.CodeBuildDiffers, "task", "get", "url"); !strings.Contains(e.Hint, "abrowser --session task close") {
		t.Errorf("the hint for a busy daemon of another build is %q", e.Hint)
	}
	if r := <-waits.Ended; r.Status != wire.ExitDone {
		t.Errorf("the command that ran: %s", r)
	}
	if got := e2e.MarkOf(t, h, "task"); got != want {
		t.Errorf("the new daemon has %v, want %v", got, want)
	}
	after := h.Try("", "--json", "browser", "status")
	e := after.Envelope(t)
	var now verbs.BrowserStatusOut
	if err := json.Unmarshal(e.Data, &now); err != nil {
		t.Fatal(err)
	}
	if now.BrokerPID != before.BrokerPID || now.BrowserPID != before.BrowserPID || now.Build != before.Build {
		t.Errorf("the browser was %+v and is %+v", before, now)
	}
	if !strings.Contains(e.Warning, "another build") {
		t.Errorf("browser status warns of %q", e.Warning)
	}
	part := func(name string) (detail string) {
		for _, p := range e2e.Ask[verbs.PartsOut](t, h, "", "doctor").Parts {
			if p.Name == name {
				detail += p.Detail
			}
		}
		return detail
	}
	if got := part("broker"); !strings.Contains(got, "of build "+before.Build) {
		t.Errorf("doctor says of the broker %q", got)
	}
	driver := e2e.Ask[verbs.StatusOut](t, h, "task", "status").Driver
	if got, want := part("drivers"), fmt.Sprintf("(pid %d, serves 1 of 16 sessions)", driver.PID); !strings.Contains(got, want) || !driver.Shared || driver.Sessions != 1 {
		t.Errorf("doctor says of the drivers %q, status %+v; want %q", got, driver, want)
	}
	h.Binary = old
	if r := h.Try("", "browser", "status"); strings.Contains(r.Stderr, "build") {
		t.Errorf("the browser's own build warns: %s", r)
	}
}

// A command fails if its protocol is older than that of the daemon or of the browser's broker, and
// the error has a hint that helps. The older program can still end that daemon and that browser. A
// command whose protocol is newer than the broker's also fails with such a hint.
func TestOlderCommand(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	current := h.Binary
	older := filepath.Join(h.Outer, "abrowser-older")
	if err := e2e.Build(older, "github.com/abrowser/abrowser/sockets/wire.protocol", strconv.Itoa(wire.Protocol()-1)); err != nil {
		t.Fatal(err)
	}
	h.Text(t, "task", "open", s.URL("/page/one"))
	waits := h.Begin(t, "task", "--json", "wait", "#never", "--timeout", "60000")
	runs(t, h, "task", "wait")
	h.Binary = older
	e := h.Fails(t, wire.CodeBuildDiffers, "task", "get", "url")
	if !strings.Contains(e.Hint, "update this abrowser") || !strings.Contains(e.Hint, "abrowser --session task close") {
		t.Errorf("the hint for an older command is %q", e.Hint)
	}
	h.Text(t, "task", "close")
	if r := <-waits.Ended; r.Envelope(t).Code != wire.CodeInterrupted {
		t.Errorf("the command that ran: %s", r)
	}
	e = h.Fails(t, wire.CodeBuildDiffers, "task", "get", "url")
	if !strings.Contains(e.Hint, "abrowser browser stop") {
		t.Errorf("the hint for a browser of another protocol is %q", e.Hint)
	}
	h.Binary = current
	if got := h.Text(t, "task", "get", "url"); got != s.URL("/page/one") {
		t.Errorf("after the older command the page is at %s", got)
	}
	h.Binary = older
	h.Text(t, "task", "browser", "stop")
	h.Text(t, "task", "open", s.URL("/page/two"))
	h.Binary = current
	e = h.Fails(t, wire.CodeBuildDiffers, "next", "open", s.URL("/page/three"))
	if !strings.Contains(e.Hint, "abrowser browser stop") {
		t.Errorf("the hint for a browser of an older protocol is %q", e.Hint)
	}
}
