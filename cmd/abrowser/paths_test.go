//go:build linux

package main_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// The path of the home directory may contain characters that have a meaning in URLs. abrowser has
// to treat them specially, because Playwright and other CDP clients get a URL that contains the
// path of the socket.
func TestHomeWithCharactersOfURLs(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	home := filepath.Join(h.Outer, "sp ace ü#%20:?")
	h.Dir = filepath.Join(home, ".abrowser")
	h.Env = append(h.Env, "HOME="+home)

	if got := part(t, h, "directory"); !got.OK {
		t.Errorf("before the first command doctor says of the directory: %+v", got)
	}
	h.Text(t, "a", "open", s.URL("/"))
	title := h.Text(t, "a", "get", "title")
	if title == "" {
		t.Error("the page has no title")
	}
	if got := part(t, h, "directory"); !got.OK || !strings.Contains(got.Detail, "a link in /tmp") {
		t.Errorf("while a browser runs doctor says of the directory: %+v", got)
	}
	// A session can have a driver (Playwright's Node process) of its own instead of the shared
	// one. That driver must reach the browser as well.
	own := *h
	own.Env = append(own.Env, "ABROWSER_DRIVER=own")
	own.Text(t, "b", "open", s.URL("/"))

	atEndpoint := func(when string) {
		t.Helper()
		endpoint := h.Text(t, "a", "get", "cdp-url")
		script := `require(process.argv[1]).chromium.connectOverCDP(process.argv[2]).then(async (browser) => {
  console.log(await browser.contexts()[0].pages()[0].title());
  await browser.close();
})`
		cmd := exec.CommandContext(t.Context(), "node", "-e", script, filepath.Join(os.Getenv(e2e.EnvDriver), "package"), endpoint)
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != title {
			t.Errorf("%s Playwright finds at %s %q (%v), want %q", when, endpoint, got, err, title)
		}
	}
	atEndpoint("At first")
	kill := func() {
		t.Helper()
		if err := e2e.Kill(h.Daemon("a")); err != nil {
			t.Fatal(err)
		}
	}
	kill()
	if got := h.Text(t, "a", "get", "title"); got != title {
		t.Errorf("after its daemon was killed the session's page has the title %q, want %q", got, title)
	}
	atEndpoint("After the daemon was killed")
	// The killed daemon has left a link in /tmp. Closing the session removes the link.
	alias, err := os.Readlink(filepath.Join(h.Dir, "state", "sessions", "a.alias"))
	if err != nil {
		t.Fatal(err)
	}
	kill()
	h.Text(t, "a", "close")
	if _, err := os.Lstat(alias); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the session's end there is still %s (%v)", alias, err)
	}
	// Start another daemon. After the tests, [e2e.Main] checks that this daemon has left no file
	// when it ended.
	h.Text(t, "a", "get", "title")
}
