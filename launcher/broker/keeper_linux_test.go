package broker

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Messages between clients and browser do not wake the keeper, since the keeper does not poll the
// pipe. The same holds for a keeper that has replaced a dead keeper.
func TestMessagesDoNotWakeTheKeeper(t *testing.T) {
	r := newRig(t, wire.Settings{})
	cmd := r.keeper()
	r.awaitBroker()
	t.Cleanup(func() { _, _ = try(r, verbs.BrowserStop, verbs.BrowserStopIn{}) })
	p := r.connect("a").open()
	const calls = 300
	woken := func(keeper int) int {
		before := pauses(t, keeper)
		for range calls {
			p.eval("1")
		}
		return pauses(t, keeper) - before
	}
	first := ask(r, verbs.BrowserStatus, verbs.Empty{}).KeeperPID
	if got := woken(first); got > calls/3 {
		t.Errorf("%d calls woke the keeper %d times", calls, got)
	}
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	second := first
	until(t, "another keeper runs", func() bool {
		second = ask(r, verbs.BrowserStatus, verbs.Empty{}).KeeperPID
		return second != first
	})
	woken(second) // the takeover itself wakes the keeper, so this count is ignored
	if got := woken(second); got > calls/3 {
		t.Errorf("%d calls woke the new keeper %d times", calls, got)
	}
}

// pauses returns how often threads of a process have gone to sleep.
func pauses(t *testing.T, pid int) int {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(tasks) == 0 {
		t.Fatalf("process %d has no threads: %v", pid, err)
	}
	all := 0
	for _, task := range tasks {
		raw, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
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
