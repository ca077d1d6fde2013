//go:build linux

package recovery_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// If the socket of a session that runs no command is removed, the session's daemon ends without
// another command, since nothing can reach it. The session's tab stays open. Another session's
// daemon is not affected.
func TestSocketIsRemoved(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	for _, session := range []string{"gone", "rests"} {
		h.Text(t, session, "open", s.URL("/secret"))
	}
	mark, gone, rests := e2e.MarkOf(t, h, "gone"), h.Daemon("gone"), h.Daemon("rests")
	if err := os.Remove(filepath.Join(h.Dir, "run", "s", "gone.sock")); err != nil {
		t.Fatal(err)
	}
	if !e2e.Await(5*time.Second, func() bool { return !gone.Alive() }) {
		t.Fatal("the daemon whose socket is gone does not end")
	}
	if !rests.Alive() {
		t.Error("the daemon of the other session has ended")
	}
	if after := e2e.MarkOf(t, h, "gone"); after != mark {
		t.Errorf("the session came back to %v, want %v", after, mark)
	}
}

// Without a browser, no broker notices that a daemon's socket was removed. In that case, the next
// command of the session ends the daemon and starts another one.
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
