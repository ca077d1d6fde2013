//go:build linux

package modes_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// login logs the session in to the site under the given name.
func login(t *testing.T, h *e2e.Home, s *site.Site, session, name string, flags ...string) {
	t.Helper()
	h.Text(t, session, append(flags, "open", s.URL("/login"))...)
	h.Text(t, session, "fill", "#user", name)
	h.Text(t, session, "click", "#in")
	h.Text(t, session, "wait", "#who")
}

// who opens the site's page /me in the session. It returns the name under which the session is
// logged in, or "nobody".
func who(t *testing.T, h *e2e.Home, s *site.Site, session string, flags ...string) string {
	t.Helper()
	h.Text(t, session, append(flags, "open", s.URL("/me"))...)
	return h.Text(t, session, "get", "text", "#who")
}

// An incognito session shares no login with other sessions. It keeps its login when its daemon or
// the broker is killed, and leaves no trace when it is closed.
func TestIncognito(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	login(t, h, s, "shared", "ada")
	if got := who(t, h, s, "quiet", "--mode", "incognito"); got != "nobody" {
		t.Errorf("an incognito session is logged in as %q", got)
	}
	login(t, h, s, "quiet", "eve")
	for session, want := range map[string]string{"shared": "ada", "quiet": "eve"} {
		if got := who(t, h, s, session); got != want {
			t.Errorf("session %s is %q, want %q", session, got, want)
		}
	}
	if got := who(t, h, s, "other", "--mode", "incognito"); got != "nobody" {
		t.Errorf("another incognito session is logged in as %q", got)
	}
	h.Text(t, "other", "close")
	if got := h.Text(t, "quiet", "eval", "innerWidth + 'x' + innerHeight"); got != `"1280x720"` {
		t.Errorf("its page is %s inside", got)
	}
	h.Text(t, "quiet", "open", s.URL("/popups"))
	if out := e2e.Ask[verbs.ClickOut](t, h, "quiet", "click", "#noopener"); len(out.Opened) != 1 {
		t.Errorf("the click reported %v, want the popup", out.Opened)
	}
	h.Text(t, "quiet", "tab", "t2")
	h.Text(t, "quiet", "open", s.URL("/me"))
	if got := h.Text(t, "quiet", "get", "text", "#who"); got != "eve" {
		t.Errorf("its popup is logged in as %q", got)
	}

	t.Run("a program at its endpoint", func(t *testing.T) {
		want := "1 contexts, 2 pages, 1 cookies, a new one: eve"
		if got := atEndpoint(t, h, h.Text(t, "quiet", "get", "cdp-url"), s.URL("/me")); got != want {
			t.Errorf("it finds %s, want %s", got, want)
		}
	})
	for _, kind := range []string{e2e.KindDaemon, e2e.KindBroker} {
		t.Run("kill -9 of the "+kind, func(t *testing.T) {
			victim := h.Daemon("quiet")
			if kind == e2e.KindBroker {
				victim = h.Of(e2e.KindBroker)[0]
			}
			if err := e2e.Kill(victim); err != nil {
				t.Fatal(err)
			}
			// The session stays incognito although the command has no --mode flag.
			if got := h.Text(t, "quiet", "get", "text", "#who"); got != "eve" {
				t.Errorf("afterwards the session is %q", got)
			}
			if got := who(t, h, s, "quiet"); got != "eve" {
				t.Errorf("and after a navigation %q", got)
			}
		})
	}
	tabs := e2e.Ask[verbs.TabsOut](t, h, "shared", "tab", "--all").Tabs
	if got := lines(tabs); got != "quiet/t1 live incognito, quiet/t2 live incognito, shared/t1 live shared" {
		t.Errorf("tab --all lists %s", got)
	}

	t.Run("closed", func(t *testing.T) {
		r := h.Try("quiet", "close")
		if r.Status != 0 || r.Stdout != "2 incognito tabs are discarded with all data; the next session of this name is incognito only with --mode incognito\n" {
			t.Errorf("%s", r)
		}
		tabs := e2e.Ask[verbs.TabsOut](t, h, "shared", "tab", "--all").Tabs
		if got := lines(tabs); got != "shared/t1 live shared" {
			t.Errorf("afterwards tab --all lists %s", got)
		}
		for _, entry := range e2e.Ask[verbs.SessionListOut](t, h, "", "session", "list").Sessions {
			if entry.SessionID == "quiet" {
				t.Errorf("afterwards it is listed: %+v", entry)
			}
		}
		for _, f := range e2e.FilesBelow(filepath.Join(h.Dir, "state")) {
			if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() && strings.Contains(read(t, f), "/popups") {
				t.Errorf("%s has a URL of the incognito session", f)
			}
		}
		// The name can be used for a session of another mode.
		if got := who(t, h, s, "quiet"); got != "ada" {
			t.Errorf("a shared session of that name is %q", got)
		}
		if got := who(t, h, s, "shared"); got != "ada" {
			t.Errorf("the shared session is %q", got)
		}
	})
}

// After the browser dies, the tabs of an incognito session are opened again in a new context of
// the session, without its logins, and never in the shared context.
func TestIncognitoBrowserDies(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	login(t, h, s, "shared", "ada")
	login(t, h, s, "quiet", "eve", "--mode", "incognito")
	h.Text(t, "quiet", "open", s.URL("/me"))
	e2e.KillBrowser(t, h)
	// The first command may run while the browser dies, and fail. Its error then says that the
	// browser was started again.
	if r := h.Try("quiet", "--json", "wait", "#who"); r.Status != 0 && r.Envelope(t).Code != wire.CodeBrowserRestart {
		t.Errorf("the first command after it: %s", r)
	}
	h.Text(t, "quiet", "wait", "#who")
	if got := h.Text(t, "quiet", "get", "text", "#who"); got != "nobody" {
		t.Errorf("afterwards the incognito session is %q, want nobody", got)
	}
	if got := h.Text(t, "quiet", "get", "url"); got != s.URL("/me") {
		t.Errorf("afterwards it is at %s", got)
	}
	if got := who(t, h, s, "shared"); got != "ada" {
		t.Errorf("afterwards the shared session is %q", got)
	}
	if out := e2e.Ask[verbs.CloseOut](t, h, "quiet", "close"); out.Discarded != 1 || out.Kept != 0 {
		t.Errorf("close: %+v", out)
	}
}

// atEndpoint runs a Playwright program that connects to an endpoint. It returns a text with the
// numbers of contexts, pages and cookies that the program finds. The text ends with the name of
// the user that the program sees when it opens url in a new page.
func atEndpoint(t *testing.T, h *e2e.Home, endpoint, url string) string {
	t.Helper()
	const script = `
const { chromium } = require(process.argv[1]);
(async () => {
  const browser = await chromium.connectOverCDP(process.argv[2]);
  const contexts = browser.contexts();
  const pages = contexts[0].pages();
  const page = await contexts[0].newPage();
  await page.goto(process.argv[3]);
  const who = await page.textContent('#who');
  await page.close();
  const cookies = await contexts[0].cookies();
  console.log(contexts.length + ' contexts, ' + pages.length + ' pages, ' + cookies.length + ' cookies, a new one: ' + who);
  await browser.close();
})().catch(e => { console.error(e); process.exit(1); });`
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "-e", script, filepath.Join(os.Getenv(e2e.EnvDriver), "package"), endpoint, url)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("the program: %v", err)
	}
	return strings.TrimSpace(string(out))
}
