//go:build linux

package faults_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// setCookies is a script that sets 50 cookies. If the browser is asked for its cookies too early, it
// lists only some of them.
const setCookies = "for (let i = 0; i < 50; i++) document.cookie = `task${i}=1`"

// suspendNetwork suspends the browser's network process, which sets the cookies of all pages. The
// function it returns lets the process continue a moment later.
func suspendNetwork(t *testing.T, h *e2e.Home) (resumeSoon func()) {
	t.Helper()
	network := h.Network(t)
	e2e.Stop(t, network)
	return func() {
		time.AfterFunc(700*time.Millisecond, func() { _ = syscall.Kill(network.PID, syscall.SIGCONT) })
	}
}

func countCookies(t *testing.T, h *e2e.Home) int {
	t.Helper()
	return len(e2e.Ask[verbs.CookiesOut](t, h, "task", "cookies", "get").Cookies)
}

// A page does not wait until the cookies that it sets are set. A command that lists, saves or clears
// cookies does.
func TestCookiesThatAPageHasJustSet(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/page/one"))
	h.Text(t, "task", "eval", "document.body.innerHTML = '<button>Log in</button>'; document.querySelector('button').onclick = () => { "+setCookies+" }; 0")
	for name, count := range map[string]func(*testing.T) int{
		"get": func(t *testing.T) int { return countCookies(t, h) },
		"save": func(t *testing.T) int {
			return e2e.Ask[verbs.StateSaveOut](t, h, "task", "state", "save", filepath.Join(t.TempDir(), "state.json")).Cookies
		},
		"clear": func(t *testing.T) int {
			return e2e.Ask[verbs.CookiesClearOut](t, h, "task", "cookies", "clear").Removed
		},
	} {
		t.Run(name, func(t *testing.T) {
			h.Text(t, "task", "cookies", "clear")
			resumeSoon := suspendNetwork(t, h)
			h.Text(t, "task", "click", "text=Log in")
			resumeSoon()
			if got := count(t); got != 50 {
				t.Errorf("%d cookies, want 50", got)
			}
		})
	}
}

// A script ends when the browser has the cookies that it has set, so every client finds them. The
// session has so much in its cookies that the end of a command does not wait until they are saved.
func TestCookiesThatAScriptHasJustSet(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/page/one"))
	h.Text(t, "task", "eval", "for (let i = 0; i < 8; i++) document.cookie = `large${i}=${'x'.repeat(3000)}`")
	if got := countCookies(t, h); got != 8 {
		t.Fatalf("%d large cookies, want 8", got)
	}
	client := e2e.DialCDP(t, h.StartCDP(t, "task").URL)
	suspendNetwork(t, h)()
	h.Text(t, "task", "eval", setCookies)
	var got struct{ Cookies []any }
	if client.Call("", "Storage.getCookies", nil, &got); len(got.Cookies) != 58 {
		t.Errorf("%d cookies, want 58", len(got.Cookies))
	}
}
