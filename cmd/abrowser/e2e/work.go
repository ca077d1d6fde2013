//go:build linux

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Renderers are the processes of pages that did something.
func (h *Home) Renderers() []Process {
	return slices.DeleteFunc(h.Running(), func(p Process) bool { return !p.mentions("--type=renderer") || p.ticks() < 2 })
}

// Renderer is the process of the session's page: the one that works when the page
// does. It may be called from any goroutine.
func (h *Home) Renderer(session string) (p Process, err error) {
	for range 3 { // beside others that work it may get little of a processor
		if p, err = h.working(session); err == nil {
			break
		}
	}
	return p, err
}

func (h *Home) working(session string) (Process, error) {
	work := func() map[int]int {
		ticks := map[int]int{}
		for _, p := range h.Running() {
			if p.mentions("--type=renderer") { // Chromium joins its children's arguments
				ticks[p.PID] = p.ticks()
			}
		}
		return ticks
	}
	before := work()
	if r := h.Try(session, "eval", "(() => { const end = Date.now() + 400; while (Date.now() < end); })()"); r.Status != wire.ExitDone {
		return Process{}, fmt.Errorf("%s", r)
	}
	best, most := Process{}, 4 // hundredths of a second
	for pid, ticks := range work() {
		if did := ticks - before[pid]; did > most {
			best, most = Process{PID: pid, args: []string{"renderer"}}, did
		}
	}
	if best.PID == 0 {
		return best, fmt.Errorf("no renderer worked for session %s", session)
	}
	return best, nil
}

// Memory is what of the process is in memory, in KB.
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

// State is the letter that the system has for what the process does: T is stopped.
func (p Process) State() string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return ""
	}
	return strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[0]
}

// ticks is the processor time that the process has used, in the system's unit.
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
