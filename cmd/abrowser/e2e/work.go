//go:build linux

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Renderers returns the renderer processes that have used at least 20 ms of processor time. The page of a renderer that has used less has not done anything yet.
func (h *Home) Renderers() []Process {
	return slices.DeleteFunc(h.Running(), func(p Process) bool { return !p.mentions("--type=renderer") || p.ProcessorTime() < 20*time.Millisecond })
}

// Renderer returns the renderer process of the session's page. Renderer runs a busy loop in the
// page repeatedly, until one renderer has used clearly more processor time than the others since the
// call of Renderer began. It may be called from any goroutine.
func (h *Home) Renderer(session string) (Process, error) {
	before := h.rendererTimes()
	for until := time.Now().Add(CommandDeadline); time.Now().Before(until); {
		if r := h.Try(session, "eval", "(() => { const end = Date.now() + 200; while (Date.now() < end); })()"); r.Status != wire.ExitDone {
			return Process{}, fmt.Errorf("%s", r)
		}
		best, most, second := 0, time.Duration(0), time.Duration(0)
		for pid, used := range h.rendererTimes() {
			switch did := used - before[pid]; {
			case did > most:
				best, most, second = pid, did, most
			case did > second:
				second = did
			}
		}
		if most >= 100*time.Millisecond && most > 2*second {
			return Process{PID: best, args: []string{"renderer"}}, nil
		}
	}
	return Process{}, fmt.Errorf("no renderer worked for session %s", session)
}

// Drawer returns the browser's GPU process. It draws all pages, also on a machine without a GPU.
func (h *Home) Drawer(t testing.TB) Process {
	t.Helper()
	return h.child(t, "--type=gpu-process")
}

// Network returns the browser's network process. It sends all requests and has all cookies.
func (h *Home) Network(t testing.TB) Process {
	t.Helper()
	return h.child(t, "--utility-sub-type=network.mojom.NetworkService")
}

// child returns the browser's child process that has the given argument.
func (h *Home) child(t testing.TB, argument string) Process {
	t.Helper()
	for _, p := range h.Running() {
		if p.mentions(argument) {
			return p
		}
	}
	t.Fatalf("the browser has no process with the argument %s", argument)
	return Process{}
}

// rendererTimes returns the processor time that each renderer has used, by process id.
func (h *Home) rendererTimes() map[int]time.Duration {
	times := map[int]time.Duration{}
	for _, p := range h.Running() {
		if p.mentions("--type=renderer") { // Chromium joins the arguments of its children
			times[p.PID] = p.ProcessorTime()
		}
	}
	return times
}

// Memory returns the resident set size of the process in kB.
func (p Process) Memory() int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID))
	for line := range strings.Lines(string(status)) {
		var kb int
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kb); n == 1 {
			return kb
		}
	}
	return 0
}
