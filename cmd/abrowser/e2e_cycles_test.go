//go:build linux

package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// usage is what the processes that live long hold.
type usage struct {
	descriptors map[string]int
	memory      map[string]int // KB
	processes   int
}

func (h *home) usage() usage {
	u := usage{descriptors: map[string]int{}, memory: map[string]int{}}
	for _, kind := range []string{kindKeeper, kindBroker, kindDaemon, kindDriver} {
		for _, p := range h.of(kind) {
			open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.pid))
			u.descriptors[kind] += len(open)
			u.memory[kind] += p.memory()
		}
	}
	u.processes = len(h.running())
	return u
}

// memory is what of the process is in memory, in KB.
func (p process) memory() int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	for line := range strings.Lines(string(status)) {
		var kb int
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kb); n == 1 {
			return kb
		}
	}
	return 0
}

// settles compares what is held now with what was, and waits until it is back.
func (h *home) settles(t *testing.T, what string, before usage) {
	t.Helper()
	const descriptors, processes = 6, 2 // Chromium's spare renderer comes and goes
	memory := map[string]int{kindKeeper: 16 << 10, kindBroker: 32 << 10, kindDaemon: 32 << 10, kindDriver: 96 << 10}
	if raceDetector {
		for kind := range memory {
			memory[kind] *= 4
		}
	}
	var now usage
	var more []string
	if await(30*time.Second, func() bool {
		now, more = h.usage(), nil
		if now.processes > before.processes+processes {
			more = append(more, fmt.Sprintf("%d processes, were %d", now.processes, before.processes))
		}
		for kind, n := range now.descriptors {
			if n > before.descriptors[kind]+descriptors {
				more = append(more, fmt.Sprintf("%s: %d descriptors, were %d", kind, n, before.descriptors[kind]))
			}
			if now.memory[kind] > before.memory[kind]+memory[kind] {
				more = append(more, fmt.Sprintf("%s: %d KB, were %d", kind, now.memory[kind], before.memory[kind]))
			}
		}
		return len(more) == 0
	}) {
		t.Logf("%s: %+v, were %+v", what, now, before)
		return
	}
	t.Errorf("after %s: %s", what, strings.Join(more, "; "))
	for _, p := range h.running() {
		t.Logf("%.200s", p)
	}
}

// Many tabs, and many sessions, come and go: descriptors, processes and memory are
// back to where they were.
func TestCyclesLeaveNothing(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := newHome(t)
	h.text(t, "stays", "open", s.URL("/page/stays"))
	tabs := func(n int) {
		var steps []string
		for range n {
			steps = append(steps, "tab new about:blank", "tab close")
		}
		h.text(t, "stays", append([]string{"batch", "--bail"}, steps...)...)
	}
	session := func(i int) {
		name := fmt.Sprintf("session-%d", i)
		h.text(t, name, "open", s.URL("/page/"+name))
		h.text(t, name, "close", "--page")
	}
	tabs(20)
	session(0)
	before := h.usage()
	for range flagged[int]("cycles") / 20 {
		tabs(20)
	}
	h.settles(t, "the tabs", before)
	before = h.usage()
	for i := range flagged[int]("cycles") / 10 {
		session(i + 1)
	}
	h.settles(t, "the sessions", before)
	if url := h.text(t, "stays", "get", "url"); url != s.URL("/page/stays") {
		t.Errorf("the session that stays is at %s", url)
	}
	if all := owners(t, h); all["stays"] != 1 || len(all) != 1 {
		t.Errorf("the tabs are %v", all)
	}
}

// With 1,024 descriptors for each process, ten sessions with three tabs each work.
func TestFewDescriptors(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	h.env = append(h.env, "ABROWSER_MAX_TABS=0") // as many as there are descriptors for
	limited := func(session string, args ...string) {
		t.Helper()
		cmd := h.prepared(t.Context(), session, args...)
		words := append([]string{"sh", "-c", `ulimit -n 1024 && exec "$0" "$@"`, h.binary}, args...)
		cmd.Path, cmd.Args = "/bin/sh", words
		if r := finish(cmd, args); r.status != wire.ExitDone {
			t.Fatalf("%s: %s", session, r)
		}
	}
	for i := range 10 {
		name := fmt.Sprintf("s%d", i)
		limited(name, "batch", "--bail", "open "+s.URL("/page/"+name), "tab new "+s.URL("/page/"+name+"-1"), "tab new "+s.URL("/page/"+name+"-2"))
	}
	for kind, n := range h.usage().descriptors {
		t.Logf("%s: %d descriptors", kind, n)
	}
	for i := range 10 {
		name := fmt.Sprintf("s%d", i)
		if url := h.text(t, name, "get", "url"); url != s.URL("/page/"+name+"-2") {
			t.Errorf("%s is at %s", name, url)
		}
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", h.of(kindBroker)[0].pid))
	if err != nil || !strings.Contains(string(limits), "Max open files            1024") {
		t.Errorf("the broker's limits are\n%s %v", limits, err)
	}
}

// The disk is full: what must be written fails with the reason, nothing else does,
// and when there is room again all is as it was.
func TestDiskFull(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	h.text(t, "task", "open", s.URL("/secret"))
	h.text(t, "task", "fill", "#kept", "kept")
	before := markOf(t, h, "task")
	h.text(t, "task", "close")
	// A file of our own may not grow any more: for the system that is a full disk, but
	// for the error's name. The browser runs already and is not limited.
	full := func(session string, args ...string) result {
		cmd := h.prepared(t.Context(), session, args...)
		cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `trap "" XFSZ; ulimit -f 0 && exec "$0" "$@"`, h.binary}, args...)
		return finish(cmd, args)
	}
	for _, args := range [][]string{{"--json", "get", "url"}, {"--json", "snapshot"}, {"--json", "fill", "#kept", "still kept"}, {"--json", "screenshot", filepath.Join(h.outer, "full.png")}} {
		r := full("task", args...)
		if e := r.envelope(t); !e.Success && !strings.Contains(*e.Error+e.Hint, "file too large") {
			t.Errorf("the error does not name the cause: %s", r)
		}
	}
	h.text(t, "task", "close")
	after := markOf(t, h, "task")
	if before.typed = after.typed; after != before || after.typed != "kept" && after.typed != "still kept" {
		t.Errorf("the session came back to %v, want %v", after, before)
	}
}
