//go:build linux

package main_test

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

// After [e2e.Kill] has killed a daemon, the daemon accepts no further connection. If it did, the
// next command of a test could connect to it, and would fail because the connection is lost.
func TestKilledDaemonAcceptsNothing(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	for range 10 {
		h.Text(t, "a", "open", "about:blank")
		if err := e2e.Kill(h.Daemon("a")); err != nil {
			t.Fatal(err)
		}
		if conn, err := (&net.Dialer{}).DialContext(t.Context(), "unix", filepath.Join(h.Dir, "run", "s", "a.sock")); err == nil {
			_ = conn.Close() // nothing was sent
			t.Fatal("the killed daemon accepts a connection")
		}
	}
}
