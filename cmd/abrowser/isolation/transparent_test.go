//go:build linux

package isolation_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// checksTime is how long all checks of the script may take on a busy machine.
const checksTime = 4 * time.Minute

// A Playwright program at a session's endpoint gets the same results as in a Chromium of its own,
// also next to a second program or the session's daemon. The documentation of package patches lists what differs.
// Video is left out: Playwright needs a program for it that we do not ship.
func TestPlaywrightAtTheEndpoint(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
	// The daemon of the first is connected, too; the second has none at work.
	h.Text(t, "both", "open", s.URL("/"))
	title := h.Text(t, "both", "get", "title")
	var work sync.WaitGroup
	for session, pages := range map[string]string{"both": "1", "alone": "0"} {
		endpoint := h.Text(t, session, "get", "cdp-url")
		work.Go(func() { checks(t, h, session, endpoint, pages) })
	}
	work.Wait()
	if got := h.Text(t, "both", "get", "title"); got != title {
		t.Errorf("after another program had the session its page's title is %q, want %q", got, title)
	}
	if got := h.Text(t, "both", "get", "url"); got != s.URL("/") {
		t.Errorf("after another program had the session its page is at %s, want %s", got, s.URL("/"))
	}
}

// checks runs the script of testdata/transparent at an endpoint.
func checks(t *testing.T, h *e2e.Home, session, endpoint, pages string) {
	ctx, cancel := context.WithTimeout(t.Context(), checksTime)
	defer cancel()
	script, err := filepath.Abs(filepath.Join("testdata", "transparent", "checks.js"))
	if err != nil {
		t.Error(err)
		return
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(ctx, "node", script, filepath.Join(os.Getenv(e2e.EnvDriver), "package"), endpoint, dir, pages)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: the script: %v\n%s", session, err, &complaints)
	}
	done := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); done++ {
		var check struct{ Name, Error string }
		if err := json.Unmarshal(lines.Bytes(), &check); err != nil {
			t.Errorf("%s: the script said %s", session, lines.Bytes())
		}
		if check.Error != "" {
			t.Errorf("%s: %s: %s", session, check.Name, check.Error)
		}
	}
	const checks = 37 // so that a script that ends early is noticed
	if done != checks {
		t.Errorf("%s: %d checks were made, want %d", session, done, checks)
	}
}
