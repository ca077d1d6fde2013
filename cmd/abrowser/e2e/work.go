//go:build linux

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Renderers returns the renderer processes that have used at least two clock ticks of processor
// time. The page of a renderer that has used less has not done anything yet.
func (h *Home) Renderers() []Process {
	return slices.DeleteFunc(h.Running(), func(p Process) bool { return !p.mentions("--type=renderer") || p.ticks() < 2 })
}

// Renderer returns the renderer process of the session's page. Renderer runs a busy loop in the
// page repeatedly, until one renderer has used clearly more processor time than the others since the
// call of Renderer began. It may be called from any goroutine.
func (h *Home) Renderer(session string) (Process, error) {
	before := h.rendererTicks()
	for until := time.Now().Add(CommandDeadline); time.Now().Before(until); {
		if r := h.Try(session, "eval", "(() => { const end = Date.now() + 200; while (Date.now() < end); })()"); r.Status != wire.ExitDone {
			return Process{}, fmt.Errorf("%s", r)
		}
		best, most, second := 0, 0, 0
		for pid, ticks := range h.rendererTicks() {
			switch did := ticks - before[pid]; {
			case did > most:
				best, most, second = pid, did, most
			case did > second:
				second = did
			}
		}
		if most >= 10 && most > 2*second {
			return Process{PID: best, args: []string{"renderer"}}, nil
		}
	}
	return Process{}, fmt.Errorf("no renderer worked for session %s", session)
}

// rendererTicks returns the processor time that each renderer has used, by process id.
func (h *Home) rendererTicks() map[int]int {
	ticks := map[int]int{}
	for _, p := range h.Running() {
		if p.mentions("--type=renderer") { // Chromium joins the arguments of its children
			ticks[p.PID] = p.ticks()
		}
	}
	return ticks
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

// State returns the state of the process as the letter in /proc/PID/stat, such as T for stopped.
// It returns an empty string if the process does not exist.
func (p Process) State() string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return ""
	}
	return strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[0]
}

// ticks returns the processor time that the process has used, in clock ticks of 10 ms.
func (p Process) ticks() int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
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
