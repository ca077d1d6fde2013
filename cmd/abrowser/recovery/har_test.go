//go:build linux

package recovery_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// If a daemon is killed during a recording, the HAR contains the requests that the page had sent
// until then, also those without a response.
func TestHAROfAKilledDaemon(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	har := filepath.Join(h.Outer, "a.har")
	h.Text(t, "a", "open", s.URL("/page/one"), "--har", har)
	h.Text(t, "a", "eval", "fetch('/never'), 1")
	h.Text(t, "a", "open", s.URL("/page/one#again")) // Playwright answers this after it has reported the request
	if err := e2e.Kill(h.Daemon("a")); err != nil {
		t.Fatal(err)
	}
	h.Text(t, "a", "open", s.URL("/page/two"))
	h.Text(t, "a", "close")
	raw, err := os.ReadFile(har)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/page/one", "/never", "/page/two"} {
		if got := strings.Count(string(raw), s.URL(path)+`"`); got != 1 {
			t.Errorf("the HAR contains %s %d times: %s", path, got, raw)
		}
	}
}
