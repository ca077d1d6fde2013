//go:build linux

package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// atOnce is four times the second that a control verb gives whoever is silent.
const atOnce = 4 * time.Second

// quick runs a command that must answer at once.
func quick(t *testing.T, h *home, session string, args ...string) result {
	t.Helper()
	r := h.try(session, args...)
	if r.took > atOnce {
		t.Errorf("it took more than %s: %s", atOnce, r)
	}
	return r
}

// looksWedged asks all the verbs that look at a session that does not answer. They
// do, say why, and the way out.
func looksWedged(t *testing.T, h *home, session, reason, hint string, tabs int) {
	t.Helper()
	var status wire.StatusOut
	decodeInto(t, quick(t, h, session, "--json", "status"), &status)
	if status.State != "wedged" || !status.Wedged || !strings.Contains(status.Reason, reason) || !strings.HasPrefix(status.Hint, hint) || status.Pages != tabs {
		t.Errorf("status = %+v, want wedged, %q in the reason, the hint %q and %d tabs", status, reason, hint, tabs)
	}
	var list wire.SessionListOut
	decodeInto(t, quick(t, h, session, "--json", "session", "list"), &list)
	i := slices.IndexFunc(list.Sessions, func(e wire.SessionEntry) bool { return e.ID == session })
	if i < 0 || list.Sessions[i].State != "wedged" || !list.Sessions[i].Wedged || !strings.HasPrefix(list.Sessions[i].Hint, hint) || list.Sessions[i].PID != h.daemon(session).pid {
		t.Errorf("session list = %+v", list)
	}
	var info wire.SessionInfoOut
	decodeInto(t, quick(t, h, session, "--json", "session", "info"), &info)
	if !info.Active || info.Entry.State != "wedged" {
		t.Errorf("session info = %+v", info)
	}
	var listed wire.TabsOut
	decodeInto(t, quick(t, h, session, "--json", "tab", "list"), &listed)
	if len(listed.Tabs) != tabs {
		t.Errorf("tab list = %+v", listed)
	}
}

func decodeInto(t *testing.T, r result, out any) {
	t.Helper()
	e := r.envelope(t)
	if !e.Success {
		t.Fatalf("%s", r)
	}
	if err := json.Unmarshal(e.Data, out); err != nil {
		t.Fatalf("%v: %s", err, r)
	}
}

// A daemon that is stopped is told apart, and ended by force by close and kill:
// nothing of it stays, its tabs do, unless they were to be closed.
func TestFrozenDaemonIsEnded(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := newHome(t)
	for _, test := range []struct {
		name string
		args []string
		kept bool
	}{
		{"close", []string{"close"}, true},
		{"kill --page", []string{"kill", "--page"}, false},
		{"close --all", []string{"close", "--all"}, true},
		{"kill with a driver of its own", []string{"kill"}, true}, // which must go with it
	} {
		t.Run(test.name, func(t *testing.T) {
			if strings.Contains(test.name, "own") {
				h.text(t, "Frozen.1", "close")
				h.env = append(h.env, "ABROWSER_DRIVER=own")
			}
			h.text(t, "Frozen.1", "open", s.URL("/secret"))
			h.text(t, "Frozen.1", "fill", "#kept", "kept")
			before, daemon, driver := markOf(t, h, "Frozen.1"), h.daemon("Frozen.1"), h.driver("Frozen.1")
			stopProcess(t, daemon)
			looksWedged(t, h, "Frozen.1", "stopped by a signal", "abrowser kill", 1)
			if e := quick(t, h, "Frozen.1", "--json", "dialog", "status").envelope(t); e.Success || e.Code != wire.CodeWedged || e.Hint != "abrowser kill" {
				t.Errorf("dialog status = %+v", e)
			}
			if r := h.try("Frozen.1", test.args...); r.status != wire.ExitDone || r.took > 2*atOnce {
				t.Errorf("%s", r)
			}
			for _, p := range []process{daemon, driver} {
				if p.pid == driver.pid && driver.parent() != daemon.pid {
					continue // it serves others
				}
				if !await(5*time.Second, func() bool { return !p.alive() }) {
					t.Errorf("%s leaves %s", test.name, p)
				}
			}
			left, _ := filepath.Glob(filepath.Join(h.dir, "run", "s", "*.sock"))
			temp, _ := filepath.Glob(filepath.Join(h.dir, "state", "tmp", "sha*")) // the name has a capital
			if len(left)+len(temp) > 0 {
				t.Errorf("%s leaves %q %q", test.name, left, temp)
			}
			if n := owners(t, h)["Frozen.1"]; n != map[bool]int{true: 1}[test.kept] {
				t.Errorf("after %s the session has %d tabs", test.name, n)
			}
			if test.kept {
				if after := markOf(t, h, "Frozen.1"); after != before {
					t.Errorf("after %s the session came back to %v, want %v", test.name, after, before)
				}
			}
		})
	}
}

// Three deadlines that are missed in a row, and no sign of life then: the session
// says that it is wedged, what does not answer and the way out, and the way works.
func TestWedgedIsNoticed(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	tests := []struct {
		name, driver, reason, hint string
		freeze                     func(t *testing.T, h *home)
		end                        []string
		kept                       bool
	}{
		{"page that spins", "shared", "the page does not answer", "abrowser close --page", func(t *testing.T, h *home) {
			h.text(t, "task", "eval", "setTimeout(() => { for (;;) {} }, 50), 0")
			time.Sleep(500 * time.Millisecond) // it spins by now: it cannot be asked, and a click takes less than 50 ms
		}, []string{"close", "--page"}, false},
		{"stopped renderer", "shared", "the page does not answer", "abrowser close --page", func(t *testing.T, h *home) {
			stopProcess(t, rendererOf(t, h, "task"))
		}, []string{"kill", "--page"}, false},
		{"stopped driver", "own", "driver", "abrowser close", func(t *testing.T, h *home) { stopProcess(t, h.driver("task")) }, []string{"close"}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newHome(t)
			h.env = append(h.env, "ABROWSER_DRIVER="+test.driver)
			h.text(t, "task", "open", s.URL("/secret"))
			h.text(t, "task", "fill", "#kept", "kept")
			before := markOf(t, h, "task")
			// A deadline that is missed while all is well means nothing.
			for range 3 {
				h.fails(t, wire.CodeNotFound, "task", "click", "#none", "--timeout", "100")
			}
			if status := ask[wire.StatusOut](t, h, "task", "status"); status.Wedged {
				t.Fatalf("status = %+v", status)
			}
			test.freeze(t, h)
			var last envelope
			for n := range 3 {
				r := h.try("task", "--json", "click", "#kept", "--timeout", "500")
				if last = r.envelope(t); last.Success || r.status != wire.ExitTimeout || n < 2 && last.Details["wedged"] != nil {
					t.Errorf("click %d: %s", n+1, r)
				}
			}
			if last.Code != wire.CodeWedged || last.Details["wedged"] != true || !strings.HasPrefix(last.Hint, test.hint) {
				t.Errorf("the third deadline in a row is %+v", last)
			}
			looksWedged(t, h, "task", test.reason, test.hint, 1)
			if r := quick(t, h, "task", "dialog", "status"); r.status != wire.ExitDone {
				t.Errorf("%s", r)
			}
			if r := h.try("task", test.end...); r.status != wire.ExitDone || r.took > 20*time.Second {
				t.Errorf("%s", r)
			}
			if !await(10*time.Second, func() bool { return len(h.of(kindDaemon)) == 0 }) {
				t.Errorf("daemons after %v: %v", test.end, h.of(kindDaemon))
			}
			if n := owners(t, h)["task"]; n != map[bool]int{true: 1}[test.kept] {
				t.Errorf("after %v the session has %d tabs", test.end, n)
			}
			if !test.kept {
				h.text(t, "task", "open", s.URL("/secret"))
			} else if after := markOf(t, h, "task"); after != before {
				t.Errorf("after %v the session came back to %v, want %v", test.end, after, before)
			}
		})
	}
}

// stopProcess stops a process until the test is over.
func stopProcess(t *testing.T, p process) {
	t.Helper()
	if p.pid == 0 {
		t.Fatal("there is no such process to stop")
	}
	if err := syscall.Kill(p.pid, syscall.SIGSTOP); err != nil {
		t.Fatalf("stopping %s: %v", p, err)
	}
	t.Cleanup(func() { _ = syscall.Kill(p.pid, syscall.SIGCONT) }) // it may be gone
	if !await(5*time.Second, func() bool { return p.state() == "T" }) {
		t.Fatalf("%s does not stop", p)
	}
}

// rendererOf is the process of the session's page: the one that works when the page
// does.
func rendererOf(t *testing.T, h *home, session string) process {
	t.Helper()
	p, err := h.renderer(session)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// renderer is rendererOf for any goroutine.
func (h *home) renderer(session string) (process, error) {
	work := func() map[int]int {
		ticks := map[int]int{}
		for _, p := range h.running() {
			if p.mentions("--type=renderer") { // Chromium joins its children's arguments
				ticks[p.pid] = p.ticks()
			}
		}
		return ticks
	}
	before := work()
	if r := h.try(session, "eval", "(() => { const end = Date.now() + 400; while (Date.now() < end); })()"); r.status != wire.ExitDone {
		return process{}, fmt.Errorf("%s", r)
	}
	best, most := process{}, 4 // hundredths of a second
	for pid, ticks := range work() {
		if did := ticks - before[pid]; did > most {
			best, most = process{pid: pid, args: []string{"renderer"}}, did
		}
	}
	if best.pid == 0 {
		return best, fmt.Errorf("no renderer worked for session %s", session)
	}
	return best, nil
}

// state is the letter that the system has for what the process does: T is stopped.
func (p process) state() string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return ""
	}
	return strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[0]
}

// ticks is the processor time that the process has used, in the system's unit.
func (p process) ticks() int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return user + system
}
