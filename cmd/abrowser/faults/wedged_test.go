//go:build linux

package faults_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// atOnce is the time limit for a command that must return at once. A command that only inspects a
// session waits up to 2 s for a process that does not respond; atOnce is four times that.
const atOnce = 8 * time.Second

// quick runs a command and fails the test if the command takes longer than atOnce.
func quick(t *testing.T, h *e2e.Home, session string, args ...string) e2e.Result {
	t.Helper()
	r := h.Try(session, args...)
	if r.Took > atOnce {
		t.Errorf("it took more than %s: %s", atOnce, r)
	}
	return r
}

// looksWedged checks that the commands that inspect a session return at once although the session
// does not respond. They must report the state "wedged", the reason, a hint that says how to end
// the session, and the number of its tabs.
func looksWedged(t *testing.T, h *e2e.Home, session, reason, hint string, tabs int) {
	t.Helper()
	var status verbs.StatusOut
	decodeInto(t, quick(t, h, session, "--json", "status"), &status)
	if status.State != "wedged" || !status.Wedged || !strings.Contains(status.Reason, reason) || !strings.HasPrefix(status.Hint, hint) || status.Pages != tabs {
		t.Errorf("status = %+v, want wedged, %q in the reason, the hint %q and %d tabs", status, reason, hint, tabs)
	}
	var list verbs.SessionListOut
	decodeInto(t, quick(t, h, session, "--json", "session", "list"), &list)
	i := slices.IndexFunc(list.Sessions, func(e verbs.SessionEntry) bool { return e.ID == session })
	if i < 0 || list.Sessions[i].State != "wedged" || !list.Sessions[i].Wedged || !strings.HasPrefix(list.Sessions[i].Hint, hint) || list.Sessions[i].PID != h.Daemon(session).PID {
		t.Errorf("session list = %+v", list)
	}
	var info verbs.SessionInfoOut
	decodeInto(t, quick(t, h, session, "--json", "session", "info"), &info)
	if !info.Active || info.Entry.State != "wedged" {
		t.Errorf("session info = %+v", info)
	}
	var listed verbs.TabsOut
	decodeInto(t, quick(t, h, session, "--json", "tab", "list"), &listed)
	if len(listed.Tabs) != tabs {
		t.Errorf("tab list = %+v", listed)
	}
}

// decodeInto decodes the data of a command's answer into out. It fails the test if the command has
// failed.
func decodeInto(t *testing.T, r e2e.Result, out any) {
	t.Helper()
	e := r.Envelope(t)
	if !e.Success {
		t.Fatalf("%s", r)
	}
	if err := json.Unmarshal(e.Data, out); err != nil {
		t.Fatalf("%v: %s", err, r)
	}
}

// If a session's daemon is stopped by a signal, commands report that the session is wedged. Both
// `close` and `kill` then end the daemon by force, and none of its processes and files is left. The
// session's tab stays open unless --page is given.
func TestFrozenDaemonIsEnded(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	for _, test := range []struct {
		name string
		args []string
		kept bool
	}{
		{"close", []string{"close"}, true},
		{"kill --page", []string{"kill", "--page"}, false},
		{"close --all", []string{"close", "--all"}, true},
		{"kill with a driver of its own", []string{"kill"}, true}, // the driver must end as well
	} {
		t.Run(test.name, func(t *testing.T) {
			if strings.Contains(test.name, "own") {
				h.Text(t, "Frozen.1", "close")
				h.Env = append(h.Env, "ABROWSER_DRIVER=own")
			}
			h.Text(t, "Frozen.1", "open", s.URL("/secret"))
			h.Text(t, "Frozen.1", "fill", "#kept", "kept")
			before, daemon, driver := e2e.MarkOf(t, h, "Frozen.1"), h.Daemon("Frozen.1"), h.Driver("Frozen.1")
			e2e.Stop(t, daemon)
			gone := []e2e.Process{daemon}
			if strings.Contains(test.name, "own") {
				if driver.Parent() != daemon.PID {
					t.Fatalf("the session's driver is %s", driver)
				}
				// Stop the driver too, because a running driver ends by itself when its daemon is
				// killed.
				e2e.Stop(t, driver)
				gone = append(gone, driver)
			}
			looksWedged(t, h, "Frozen.1", "stopped by a signal", "abrowser kill", 1)
			if e := quick(t, h, "Frozen.1", "--json", "dialog", "status").Envelope(t); e.Success || e.Code != wire.CodeWedged || e.Hint != "abrowser kill" {
				t.Errorf("dialog status = %+v", e)
			}
			// The daemon may still perform the click if it continues, so the result is unknown.
			if e := quick(t, h, "Frozen.1", "--json", "click", "#kept").Envelope(t); e.Code != wire.CodeResultUnknown || e.Hint != "abrowser kill" || e.Details["wedged"] != true {
				t.Errorf("click = %+v", e)
			}
			if r := h.Try("Frozen.1", test.args...); r.Status != wire.ExitDone || r.Took > 2*atOnce {
				t.Errorf("%s", r)
			}
			for _, p := range gone {
				if !e2e.Await(5*time.Second, func() bool { return !p.Alive() }) {
					t.Errorf("%s leaves %s", test.name, p)
				}
			}
			left, _ := filepath.Glob(filepath.Join(h.Dir, "run", "s", "*.sock"))
			// In file names, a session's name with a capital letter is replaced by its hash.
			temp, _ := filepath.Glob(filepath.Join(h.Dir, "state", "tmp", "sha*"))
			if len(left)+len(temp) > 0 {
				t.Errorf("%s leaves %q %q", test.name, left, temp)
			}
			if n := e2e.Owners(t, h)["Frozen.1"]; n != map[bool]int{true: 1}[test.kept] {
				t.Errorf("after %s the session has %d tabs", test.name, n)
			}
			if test.kept {
				if after := e2e.MarkOf(t, h, "Frozen.1"); after != before {
					t.Errorf("after %s the session came back to %v, want %v", test.name, after, before)
				}
			}
		})
	}
}

// A daemon that is stopped by signals only for moments, as cpulimit stops a program, is not given up.
// While a command checks every second whether the daemon responds, the daemon is stopped for 130 ms of
// each 210 ms. This period does not divide a second, so that the checks come at different moments of
// the period.
func TestStoppedForMoments(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/"))
	daemon := h.Daemon("task")
	signal := func(sig syscall.Signal, pause time.Duration) {
		if err := syscall.Kill(daemon.PID, sig); err != nil {
			t.Errorf("%s: %v", daemon, err)
		}
		time.Sleep(pause) // the throttling itself
	}
	done := make(chan e2e.Result, 1)
	go func() { done <- h.Try("task", "eval", "new Promise((done) => setTimeout(() => done('done'), 5000))") }()
	for len(done) == 0 {
		signal(syscall.SIGSTOP, 130*time.Millisecond)
		signal(syscall.SIGCONT, 80*time.Millisecond)
	}
	if r := <-done; r.Status != wire.ExitDone || !strings.Contains(r.Stdout, "done") {
		t.Errorf("%s", r)
	}
}

// blocking is a script that blocks its page for ever by a synchronous request, which needs no
// processor. Directly before that, it increments a counter of the site by another synchronous
// request, so that the page does nothing else in between.
const blocking = `setTimeout(() => {
	for (const [method, url] of [["POST", "/count/blocks"], ["GET", "/never"]]) {
		const request = new XMLHttpRequest();
		request.open(method, url, false);
		request.send();
	}
}, 50), 0`

// If three commands in a row miss their deadline and the page does not respond after that, the
// session counts as wedged. The third error says what does not respond and which command helps,
// and that command works.
func TestWedgedIsNoticed(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	tests := []struct {
		name, driver, reason, hint string
		freeze                     func(t *testing.T, h *e2e.Home)
		end                        []string
		kept                       bool
	}{
		{"page that is blocked", "shared", "the page does not answer", "abrowser close --page", func(t *testing.T, h *e2e.Home) {
			before := s.Count("blocks")
			h.Text(t, "task", "eval", blocking)
			if !e2e.Await(20*time.Second, func() bool { return s.Count("blocks") > before }) {
				t.Fatal("the page does not block")
			}
		}, []string{"close", "--page"}, false},
		{"stopped renderer", "shared", "the page does not answer", "abrowser close --page", func(t *testing.T, h *e2e.Home) {
			e2e.Stop(t, rendererOf(t, h, "task"))
		}, []string{"kill", "--page"}, false},
		{"stopped driver", "own", "driver", "abrowser close", func(t *testing.T, h *e2e.Home) { e2e.Stop(t, h.Driver("task")) }, []string{"close"}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := e2e.NewHome(t)
			h.Env = append(h.Env, "ABROWSER_DRIVER="+test.driver)
			h.Text(t, "task", "open", s.URL("/secret"))
			h.Text(t, "task", "fill", "#kept", "kept")
			before := e2e.MarkOf(t, h, "task")
			// Commands that fail although the page responds do not count. The timeout of 1 s is
			// long enough to find out on a busy machine that the element does not exist.
			for range 3 {
				h.Fails(t, wire.CodeNotFound, "task", "click", "#none", "--timeout", "1000")
			}
			if status := e2e.Ask[verbs.StatusOut](t, h, "task", "status"); status.Wedged {
				t.Fatalf("status = %+v", status)
			}
			test.freeze(t, h)
			var last e2e.Envelope
			for n := range 3 {
				// A hover needs the driver. A click on an element that is ready does not.
				r := h.Try("task", "--json", "hover", "#kept", "--timeout", "500")
				if last = r.Envelope(t); last.Success || r.Status != wire.ExitTimeout || n < 2 && last.Details["wedged"] != nil {
					t.Errorf("hover %d: %s", n+1, r)
				}
			}
			if last.Code != wire.CodeWedged || last.Details["wedged"] != true || !strings.HasPrefix(last.Hint, test.hint) {
				t.Errorf("the third deadline in a row is %+v", last)
			}
			looksWedged(t, h, "task", test.reason, test.hint, 1)
			if r := quick(t, h, "task", "dialog", "status"); r.Status != wire.ExitDone {
				t.Errorf("%s", r)
			}
			if r := h.Try("task", test.end...); r.Status != wire.ExitDone || r.Took > 20*time.Second {
				t.Errorf("%s", r)
			}
			if !e2e.Await(10*time.Second, func() bool { return len(h.Of(e2e.KindDaemon)) == 0 }) {
				t.Errorf("daemons after %v: %v", test.end, h.Of(e2e.KindDaemon))
			}
			if n := e2e.Owners(t, h)["task"]; n != map[bool]int{true: 1}[test.kept] {
				t.Errorf("after %v the session has %d tabs", test.end, n)
			}
			if !test.kept {
				h.Text(t, "task", "open", s.URL("/secret"))
			} else if after := e2e.MarkOf(t, h, "task"); after != before {
				t.Errorf("after %v the session came back to %v, want %v", test.end, after, before)
			}
		})
	}
}

// If one of a session's tabs does not respond, errors name it as the user does, by its tab id. The
// session's other tab can be used, also by a new daemon.
func TestWedgedTabIsNamed(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/secret"))
	h.Text(t, "task", "tab", "new", s.URL("/page/second"))
	second := rendererOf(t, h, "task")
	h.Text(t, "task", "tab", "t1")
	e2e.Stop(t, second)
	if err := e2e.Kill(h.Daemon("task")); err != nil {
		t.Fatal(err)
	}
	if got := h.Text(t, "task", "eval", "document.title"); got != `"Secret"` {
		t.Errorf("the tab that responds has the title %s", got)
	}
	failed := h.Fails(t, wire.CodeWedged, "task", "tab", "t2")
	if failed.Error == nil || *failed.Error != "tab t2 does not answer" || failed.Hint != "abrowser tab new" {
		t.Errorf("tab t2 = %+v", failed)
	}
	h.Text(t, "task", "get", "url")
}

// rendererOf returns the renderer of the session's page: the process that uses the CPU while the
// page runs a script.
func rendererOf(t *testing.T, h *e2e.Home, session string) e2e.Process {
	t.Helper()
	p, err := h.Renderer(session)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
