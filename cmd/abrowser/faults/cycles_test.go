//go:build linux

package faults_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// usage describes what the processes of a home use.
type usage struct {
	descriptors map[string]int // open files, by kind of process
	memory      map[string]int // KB, by kind of process
	processes   int            // the number of all processes of the home
}

func usageOf(h *e2e.Home) usage {
	u := usage{descriptors: map[string]int{}, memory: map[string]int{}}
	for _, kind := range []string{e2e.KindKeeper, e2e.KindBroker, e2e.KindDaemon, e2e.KindDriver} {
		for _, p := range h.Of(kind) {
			open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.PID))
			u.descriptors[kind] += len(open)
			u.memory[kind] += p.Memory()
		}
	}
	u.processes = len(h.Running())
	return u
}

// settles waits until the usage is not higher than before, with a tolerance. The test fails if it
// is still higher after 30 s. The parameter load says in messages what was opened and closed.
func settles(t *testing.T, h *e2e.Home, load string, before usage) {
	t.Helper()
	// The tolerance, with memory in KB. Chromium may start or end an unused renderer at any time,
	// so the numbers of processes and descriptors vary.
	const descriptors, processes = 6, 2
	memory := map[string]int{e2e.KindKeeper: 16 << 10, e2e.KindBroker: 32 << 10, e2e.KindDaemon: 32 << 10, e2e.KindDriver: 96 << 10}
	if e2e.RaceDetector {
		for kind := range memory {
			memory[kind] *= 4
		}
	}
	var now usage
	var more []string
	if e2e.Await(30*time.Second, func() bool {
		now, more = usageOf(h), nil
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
		t.Logf("%s: %+v, were %+v", load, now, before)
		return
	}
	t.Errorf("after %s: %s", load, strings.Join(more, "; "))
	for _, p := range h.Running() {
		t.Logf("%.200s", p)
	}
}

// Many tabs are opened and closed. After that, the processes use as few descriptors and as little
// memory as before, and no process is added. The same holds after many sessions are opened and
// closed.
func TestCyclesLeaveNothing(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "stays", "open", s.URL("/page/stays"))
	tabs := func(n int) {
		var steps []string
		for range n {
			steps = append(steps, "tab new about:blank", "tab close")
		}
		h.Text(t, "stays", append([]string{"batch", "--bail"}, steps...)...)
	}
	session := func(i int) {
		name := fmt.Sprintf("session-%d", i)
		h.Text(t, name, "open", s.URL("/page/"+name))
		h.Text(t, name, "close", "--page")
	}
	tabs(20)
	session(0)
	before := usageOf(h)
	for range flagged[int]("cycles") / 20 {
		tabs(20)
	}
	settles(t, h, "the tabs", before)
	before = usageOf(h)
	for i := range flagged[int]("cycles") / 10 {
		session(i + 1)
	}
	settles(t, h, "the sessions", before)
	if url := h.Text(t, "stays", "get", "url"); url != s.URL("/page/stays") {
		t.Errorf("the session that stays is at %s", url)
	}
	if all := e2e.Owners(t, h); all["stays"] != 1 || len(all) != 1 {
		t.Errorf("the tabs are %v", all)
	}
}

// Ten sessions with three tabs each work if every process may open at most 1,024 descriptors.
func TestFewDescriptors(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Env = append(h.Env, "ABROWSER_MAX_TABS=0") // no limit except the descriptors
	limited := func(session string, args ...string) {
		t.Helper()
		cmd := h.Prepared(t.Context(), session, args...)
		words := append([]string{"sh", "-c", `ulimit -n 1024 && exec "$0" "$@"`, h.Binary}, args...)
		cmd.Path, cmd.Args = "/bin/sh", words
		if r := e2e.Finish(cmd, args); r.Status != wire.ExitDone {
			t.Fatalf("%s: %s", session, r)
		}
	}
	for i := range 10 {
		name := fmt.Sprintf("s%d", i)
		limited(name, "batch", "--bail", "open "+s.URL("/page/"+name), "tab new "+s.URL("/page/"+name+"-1"), "tab new "+s.URL("/page/"+name+"-2"))
	}
	for kind, n := range usageOf(h).descriptors {
		t.Logf("%s: %d descriptors", kind, n)
	}
	for i := range 10 {
		name := fmt.Sprintf("s%d", i)
		if url := h.Text(t, name, "get", "url"); url != s.URL("/page/"+name+"-2") {
			t.Errorf("%s is at %s", name, url)
		}
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", h.Of(e2e.KindBroker)[0].PID))
	if err != nil || !strings.Contains(string(limits), "Max open files            1024") {
		t.Errorf("the broker's limits are\n%s %v", limits, err)
	}
}

// On a full disk, a command that has to write a file fails with the reason, and other commands
// work. When there is space again, the session continues in the same document.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/secret"))
	h.Text(t, "task", "fill", "#kept", "kept")
	before := e2e.MarkOf(t, h, "task")
	h.Text(t, "task", "close")
	// full runs a command with a limit of 0 for the size of files, so that neither the command nor
	// the daemon that it starts can write to a file. This has the effect of a full disk, but gives
	// another error. The broker and the browser already run and are not limited.
	full := func(session string, args ...string) e2e.Result {
		cmd := h.Prepared(t.Context(), session, args...)
		cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `trap "" XFSZ; ulimit -f 0 && exec "$0" "$@"`, h.Binary}, args...)
		return e2e.Finish(cmd, args)
	}
	for _, args := range [][]string{{"--json", "get", "url"}, {"--json", "snapshot"}, {"--json", "fill", "#kept", "still kept"}, {"--json", "screenshot", filepath.Join(h.Outer, "full.png")}} {
		r := full("task", args...)
		if e := r.Envelope(t); !e.Success && !strings.Contains(*e.Error+e.Hint, "file too large") {
			t.Errorf("the error does not name the cause: %s", r)
		}
	}
	h.Text(t, "task", "close")
	after := e2e.MarkOf(t, h, "task")
	if before.Typed = after.Typed; after != before || after.Typed != "kept" && after.Typed != "still kept" {
		t.Errorf("the session came back to %v, want %v", after, before)
	}
}
