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

// A Playwright program that connects to a session's CDP endpoint gets the same results as in a
// Chromium of its own. This also holds while another program works in another session, and while
// the session's daemon is connected. README.md of package patches lists what differs. Video is not
// checked: Playwright needs a program for it that abrowser does not install.
func TestPlaywrightAtTheEndpoint(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	// The page of session "both" is used by the session's daemon and by the program. Session
	// "alone" has no page before the program opens one.
	h.Text(t, "both", "open", s.URL("/"))
	title := h.Text(t, "both", "get", "title")
	var work sync.WaitGroup
	for session, pages := range map[string]string{"both": "1", "alone": "0"} {
		endpoint := h.Text(t, session, "get", "cdp-url")
		work.Go(func() { checks(t, h, session, endpoint, pages) })
	}
	work.Wait()
	if got := h.Text(t, "both", "get", "title"); got != title {
		t.Errorf("after the program had the session, its page's title is %q, want %q", got, title)
	}
	if got := h.Text(t, "both", "get", "url"); got != s.URL("/") {
		t.Errorf("after the program had the session, its page is at %s, want %s", got, s.URL("/"))
	}
}

// checks runs testdata/transparent/checks.js at an endpoint. The script prints the result of each
// check as a line of JSON. The parameter pages is the number of pages that the script should find.
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
		var check struct {
			Name, Error string
			MS          int
		}
		if err := json.Unmarshal(lines.Bytes(), &check); err != nil {
			t.Errorf("%s: the script said %s", session, lines.Bytes())
		}
		t.Logf("%s: %s took %d ms", session, check.Name, check.MS)
		if check.Error != "" {
			t.Errorf("%s: %s: %s", session, check.Name, check.Error)
		}
	}
	const checks = 36 // to notice a script that ends early
	if done != checks {
		t.Errorf("%s: %d checks were made, want %d", session, done, checks)
	}
}
