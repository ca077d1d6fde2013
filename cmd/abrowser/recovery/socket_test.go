//go:build linux

package recovery_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// The socket of a session at rest is removed. Its daemon ends without another command, since
// nothing can reach it, and its tab stays. Another session's daemon is not even woken.
func TestSocketIsRemoved(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	for _, session := range []string{"gone", "rests"} {
		h.Text(t, session, "open", s.URL("/secret"))
	}
	mark, gone, rests := e2e.MarkOf(t, h, "gone"), h.Daemon("gone"), h.Daemon("rests")
	before := awaitRest(t, rests)
	if err := os.Remove(filepath.Join(h.Dir, "run", "s", "gone.sock")); err != nil {
		t.Fatal(err)
	}
	if !e2e.Await(5*time.Second, func() bool { return !gone.Alive() }) {
		t.Fatal("the daemon whose socket is gone does not end")
	}
	if woken := wakeUps(t, rests) - before; woken > 3 { // what the runtime does by itself
		t.Errorf("the daemon of the other session was woken %d times", woken)
	}
	if after := e2e.MarkOf(t, h, "gone"); after != mark {
		t.Errorf("the session came back to %v, want %v", after, mark)
	}
}

// The socket of a daemon without a browser is removed, so that no broker notices. The
// session's next command does not wait until that daemon ends by itself.
func TestSocketOfDaemonWithoutBrowserIsRemoved(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/secret"))
	h.Text(t, "task", "browser", "stop")
	daemon := h.Daemon("task")
	if !daemon.Alive() {
		t.Fatal("no daemon runs; the test shows nothing")
	}
	if err := os.Remove(filepath.Join(h.Dir, "run", "s", "task.sock")); err != nil {
		t.Fatal(err)
	}
	h.Text(t, "task", "open", s.URL("/secret"))
	if daemon.Alive() {
		t.Error("the daemon whose socket is gone still runs")
	}
}

// awaitRest waits until a process does nothing, and returns its wake-ups until then.
func awaitRest(t *testing.T, p e2e.Process) int {
	t.Helper()
	last := -1
	if !e2e.Await(30*time.Second, func() bool {
		before := wakeUps(t, p)
		time.Sleep(time.Second)
		last = wakeUps(t, p)
		return last == before
	}) {
		t.Fatalf("%s does not come to rest", p)
	}
	return last
}

// wakeUps returns how often threads of a process have slept.
func wakeUps(t *testing.T, p e2e.Process) int {
	t.Helper()
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.PID))
	all := 0
	for _, task := range tasks {
		raw, err := os.ReadFile(task)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(raw), "\nvoluntary_ctxt_switches:")
		n := 0
		if _, err := fmt.Sscan(rest, &n); err != nil {
			t.Fatalf("%s: %v", task, err)
		}
		all += n
	}
	return all
}
