//go:build linux

package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// If a task's daemon or driver is frozen (stopped by SIGSTOP), other tasks are not delayed. A new
// session opens a page, clicks, gets a popup and takes a screenshot in at most twice the time that
// the same work took before the stop. If the frozen driver is shared, 5 s more are allowed,
// because it has to be replaced.
func TestFrozenTaskDelaysNoOther(t *testing.T) {
	s := site.Start(t)
	tests := []struct {
		name, driver string
		victim       func(*e2e.Home) e2e.Process
		replacing    time.Duration
	}{
		{"daemon", "shared", func(h *e2e.Home) e2e.Process { return h.Daemon("frozen") }, 0},
		{"own driver", "own", func(h *e2e.Home) e2e.Process { return h.Driver("frozen") }, 0},
		{"shared driver", "shared", func(h *e2e.Home) e2e.Process { return h.Driver("frozen") }, 5 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			// Other load on the machine can lengthen either measurement, so one good attempt is
			// enough. A delay by the frozen task would occur in every attempt.
			for range 3 {
				h := e2e.NewHome(t)
				h.Env = append(h.Env, "ABROWSER_DRIVER="+test.driver)
				before, during := withFrozen(t, h, s, test.victim)
				t.Logf("before %s, while it is stopped %s", before, during)
				if during <= 2*before+test.replacing {
					return
				}
			}
			t.Error("in every attempt, a new session's work took more than twice as long as before the stop")
		})
	}
}

// A page that does not respond does not delay other sessions. The page does not respond for one of
// these reasons:
//
//   - its renderer is stopped by a signal;
//   - its script never ends;
//   - its dialog stays open, because the session's driver is stopped, or the driver, the daemon and
//     the renderer are stopped.
func TestFrozenPageDelaysNoOther(t *testing.T) {
	s := site.Start(t)
	tests := []struct {
		name   string
		freeze func(t *testing.T, h *e2e.Home)
	}{
		{"renderer", func(t *testing.T, h *e2e.Home) { e2e.Stop(t, rendererOf(t, h, "frozen")) }},
		{"script", func(t *testing.T, h *e2e.Home) {
			h.Text(t, "frozen", "eval", "setTimeout(() => { for (;;) {} }, 50), 0")
		}},
		{"dialog and script", func(t *testing.T, h *e2e.Home) {
			h.Text(t, "frozen", "eval", "setTimeout(() => alert('first'), 50), setTimeout(() => { for (;;) {} }, 60), 0")
		}},
		{"open dialog", func(t *testing.T, h *e2e.Home) {
			// Each attempt needs a gate that is still closed, so the gate is named after the home.
			open := dialogAtGate(t, h, s, "frozen", filepath.Base(h.Outer))
			e2e.Stop(t, h.Driver("frozen"))
			open()
		}},
		{"open dialog, all processes stopped", func(t *testing.T, h *e2e.Home) {
			renderer := rendererOf(t, h, "frozen")
			// Each attempt needs a gate that is still closed, so the gate is named after the home.
			open := dialogAtGate(t, h, s, "frozen", filepath.Base(h.Outer))
			e2e.Stop(t, h.Driver("frozen"))
			e2e.Stop(t, h.Daemon("frozen"))
			open()
			e2e.Stop(t, renderer)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for range 3 { // one good attempt is enough, see TestFrozenTaskDelaysNoOther
				h := e2e.NewHome(t)
				h.Env = append(h.Env, "ABROWSER_DRIVER=own")
				for _, session := range []string{"frozen", "other"} {
					h.Text(t, session, "open", s.URL("/popups"))
				}
				before := newSessionsWork(t, h, s, "before")
				test.freeze(t, h)
				during := newSessionsWork(t, h, s, "during")
				t.Logf("before %s, while it is frozen %s", before, during)
				if url := h.Text(t, "other", "get", "url"); url != s.URL("/popups") {
					t.Errorf("afterwards the other session is at %s", url)
				}
				if r := h.Try("frozen", "kill", "--page"); r.Status != wire.ExitDone {
					t.Errorf("%s", r)
				}
				if during <= 2*before {
					return
				}
			}
			t.Error("in every attempt, a new session's work took more than twice as long as before")
		})
	}
}

// withFrozen measures how long the work of a new session takes. Then it stops a process that serves
// session "frozen" and that the function find returns. While that process is stopped, withFrozen
// measures the same work of another new session. It returns both times.
func withFrozen(t *testing.T, h *e2e.Home, s *site.Site, find func(*e2e.Home) e2e.Process) (before, during time.Duration) {
	t.Helper()
	for _, session := range []string{"frozen", "other"} {
		h.Text(t, session, "open", s.URL("/popups"))
	}
	victim := find(h)
	if victim.PID == 0 {
		t.Fatal("the process to stop does not run")
	}
	before = newSessionsWork(t, h, s, "before")
	if err := syscall.Kill(victim.PID, syscall.SIGSTOP); err != nil {
		t.Fatalf("stopping %s: %v", victim, err)
	}
	// The signal fails if the process was replaced.
	wake := func() { _ = syscall.Kill(victim.PID, syscall.SIGCONT) }
	t.Cleanup(wake)
	during = newSessionsWork(t, h, s, "during")
	wake()
	for _, session := range []string{"frozen", "other"} {
		if url := h.Text(t, session, "get", "url"); url != s.URL("/popups") {
			t.Errorf("afterwards session %s is at %s", session, url)
		}
	}
	return before, during
}

// newSessionsWork returns how long a new session takes to open a page, to click a link that opens
// a popup, and to take a screenshot.
func newSessionsWork(t *testing.T, h *e2e.Home, s *site.Site, session string) time.Duration {
	t.Helper()
	began := time.Now()
	h.Text(t, session, "open", s.URL("/popups"))
	if out := e2e.Ask[verbs.ClickOut](t, h, session, "click", "#blank"); len(out.Opened) != 1 {
		t.Fatalf("the click opened %v, want one tab", out.Opened)
	}
	h.Text(t, session, "screenshot", filepath.Join(h.Outer, session+".png"))
	took := time.Since(began)
	h.Text(t, session, "close", "--page")
	return took
}

// Four tasks click and take screenshots at the same time. Their tabs share one window, so at most
// one tab is in front. Each task takes at most twice as long as one task alone. If Chromium
// suspended background tabs, a click would take seconds there, and a screenshot would never be
// complete.
func TestBackgroundTabsAreAwake(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
	names := []string{"a", "b", "c", "d"}
	for _, name := range names {
		h.Text(t, name, "open", s.URL("/"))
	}
	// Other load on the machine can lengthen either measurement, so one good attempt is enough. If
	// background tabs were suspended, every attempt would be bad.
	var attempts []string
	for range 4 {
		// The task measured alone is the first one: its tab is in the background, while the tab
		// that opened last may be in front.
		alone := clicksAndScreenshots(t, h, names[0])
		took := make([]time.Duration, len(names))
		var together sync.WaitGroup
		for i, name := range names {
			together.Go(func() { took[i] = clicksAndScreenshots(t, h, name) })
		}
		together.Wait()
		attempts = append(attempts, fmt.Sprintf("alone %s, among four %s", alone, took))
		limit := time.Duration(len(names)) * alone
		if t.Failed() || slices.Max(took) <= limit {
			break
		}
		if len(attempts) == 4 {
			t.Error("in every attempt, one of four tasks took more than four times as long as one alone")
		}
	}
	t.Log(strings.Join(attempts, "\n"))
}

// clicksAndScreenshots clicks and takes a screenshot five times, and returns how long these
// commands took. It pauses after each screenshot, as an agent does.
func clicksAndScreenshots(t *testing.T, h *e2e.Home, session string) time.Duration {
	ctx, cancel := context.WithTimeout(context.Background(), e2e.CommandDeadline)
	defer cancel()
	var took time.Duration
	for range 5 {
		r := h.Command(ctx, session, "batch", "--bail", "click #button", "screenshot "+filepath.Join(h.Outer, session+".png"))
		if r.Status != wire.ExitDone {
			t.Errorf("%s", r)
			return took
		}
		took += r.Took
		// The pause is random, since tasks with equal pauses would run in step.
		time.Sleep(time.Duration(200+rand.IntN(400)) * time.Millisecond)
	}
	return took
}
