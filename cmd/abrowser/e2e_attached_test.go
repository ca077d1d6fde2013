//go:build linux

package main_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Two sessions work in a browser that a person started and uses: each has its own
// page, the person's are as they were, not even looked at, and never wait for us.
func TestAttached(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := newHome(t)
	p := newPerson(t, h, "")
	mine := p.open(s.URL("/page/mine"))
	idle := p.open(s.URL("/secret"))
	window := p.window(mine)

	h.text(t, "one", "--cdp", p.port, "open", s.URL("/form"))
	h.text(t, "two", "--cdp", "http://127.0.0.1:"+p.port+"/", "open", s.URL("/popups"))
	h.text(t, "one", "fill", "#name", "Ada")
	out := ask[wire.ClickOut](t, h, "two", "click", "#noopener")
	if len(out.Opened) != 1 {
		t.Errorf("the click reported %v, want the popup", out.Opened)
	}
	if got := h.text(t, "one", "eval", "document.visibilityState"); got != `"visible"` {
		t.Errorf("the session's page is %s", got)
	}
	all := ask[wire.TabsOut](t, h, "one", "tab", "--all").Tabs
	if got := lines(all); got != "one/t1 live attached, two/t1 live attached, two/t2 live attached" {
		t.Errorf("tab --all lists %s", got)
	}
	if n := len(h.of(kindBroker)); n != 1 || len(h.of(kindBrowser)) != 0 {
		t.Errorf("%d brokers and %d browsers of ours, want one and none", n, len(h.of(kindBrowser)))
	}
	status := ask[wire.BrowserStatusOut](t, h, "one", "browser", "status")
	if status.Mode != wire.ModeAttached || status.Endpoint != "http://localhost:"+p.port || status.BrowserPID != 0 {
		t.Errorf("browser status: %+v", status)
	}

	t.Run("the person does not wait", func(t *testing.T) {
		p.in(t)
		broker := h.of(kindBroker)[0].pid
		if err := syscall.Kill(broker, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		// Well within the time after which a silent broker is replaced.
		late := p.open(s.URL("/page/late"))
		p.eval(mine, "window.open('"+s.URL("/page/popup")+"'); 1")
		loaded := await(personTime, func() bool {
			titles := ""
			for _, tab := range p.tabs() {
				titles += tab.Title + " "
			}
			return strings.Contains(titles, "late ") && strings.Contains(titles, "popup ")
		})
		if err := syscall.Kill(broker, syscall.SIGCONT); err != nil {
			t.Log(err) // it was replaced
		}
		if !loaded {
			t.Errorf("with the broker stopped, the person's new tabs do not load: %v", p.tabs())
		}
		if tab := p.tabs()[late]; tab.Attached {
			t.Error("a person's tab has a debugger on it")
		}
	})
	h.text(t, "one", "get", "url")
	for target, tab := range p.tabs() {
		ours := slices.ContainsFunc(all, func(o wire.Tab) bool { return o.TargetID == target })
		if tab.Attached != ours {
			t.Errorf("a debugger is on %+v: %v; it is ours: %v", tab, tab.Attached, ours)
		}
	}
	if now := p.window(mine); now != window {
		t.Errorf("the person's window is %s, was %s", now, window)
	}

	t.Run("close leaves, close --page closes ours", func(t *testing.T) {
		p.in(t)
		before := len(p.tabs())
		if out := ask[wire.CloseOut](t, h, "one", "close"); out.Kept != 1 {
			t.Errorf("close: %+v", out)
		}
		if got := len(p.tabs()); got != before {
			t.Errorf("after close there are %d tabs, were %d", got, before)
		}
		h.text(t, "two", "close", "--page")
		if got := len(p.tabs()); got != before-2 {
			t.Errorf("after close --page there are %d tabs, want %d", got, before-2)
		}
		// The page that was left is the session's again, as it was.
		if got := h.text(t, "one", "--cdp", p.port, "get", "value", "#name"); got != "Ada" {
			t.Errorf("the page that was left says %q", got)
		}
	})
	t.Run("browser stop only leaves it", func(t *testing.T) {
		p.in(t)
		before := len(p.tabs())
		out := ask[wire.BrowserStopOut](t, h, "one", "browser", "stop")
		if out.Stopped || !out.Detached {
			t.Errorf("browser stop: %+v", out)
		}
		if !p.alive() || len(p.tabs()) != before {
			t.Fatalf("the person's browser lives: %v, with %d tabs, had %d", p.alive(), len(p.tabs()), before)
		}
		if got := h.text(t, "one", "get", "value", "#name"); got != "Ada" {
			t.Errorf("after it the page says %q", got)
		}
	})
	t.Run("where nobody works we leave", func(t *testing.T) {
		p.in(t)
		h.text(t, "one", "--browser-idle-timeout", "1s", "get", "url")
		h.text(t, "one", "close")
		before := len(p.tabs())
		if !await(personTime, func() bool { return len(h.of(kindBroker))+len(h.of(kindKeeper)) == 0 }) {
			t.Errorf("still attached: %v", h.of(kindBroker))
		}
		if !p.alive() || len(p.tabs()) != before {
			t.Fatalf("the person's browser lives: %v, with %d tabs, had %d", p.alive(), len(p.tabs()), before)
		}
		if got := h.text(t, "one", "--cdp", p.port, "get", "value", "#name"); got != "Ada" {
			t.Errorf("after it the page says %q", got)
		}
	})
	if got := p.eval(idle, "document.title"); p.tabs()[idle].URL != s.URL("/secret") || got == "" {
		t.Errorf("the person's tab is %+v", p.tabs()[idle])
	}
}

// lines is a short text of tabs.
func lines(tabs []wire.Tab) string {
	var all []string
	for _, tab := range tabs {
		all = append(all, tab.SessionID+"/"+tab.TabID+" "+tab.State+" "+tab.Mode)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// Whatever of ours or of theirs is killed: the session's page is found again, or
// the error says what is missing, and never is another browser taken instead.
func TestAttachedIsKilled(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := newHome(t)
	p := newPerson(t, h, "")
	h.text(t, "a", "--cdp", p.port, "open", s.URL("/form"))
	h.text(t, "a", "fill", "#name", "Ada")
	for _, kind := range []string{kindBroker, kindDaemon, kindKeeper} {
		t.Run(kind, func(t *testing.T) {
			if err := kill(h.of(kind)[0]); err != nil {
				t.Fatal(err)
			}
			if kind == kindBroker { // the next command may come before its keeper has noticed
				await(personTime, func() bool { return h.try("", "session", "list").status == 0 && len(h.of(kindBroker)) == 1 })
			}
			if got := h.text(t, "a", "get", "value", "#name"); got != "Ada" {
				t.Errorf("after it the page says %q", got)
			}
		})
	}
	t.Run("the browser", func(t *testing.T) {
		p.in(t)
		port := p.port
		p.end()
		if !await(personTime, func() bool { return len(h.of(kindBroker)) == 0 }) {
			t.Error("the broker of a browser that is gone is left")
		}
		e := h.fails(t, wire.CodeNoBrowser, "a", "get", "url")
		if !strings.Contains(*e.Error, "localhost:"+port) || !strings.Contains(e.Hint, "--remote-debugging-port="+port) {
			t.Errorf("the error is %q with hint %q", *e.Error, e.Hint)
		}
		if n := len(h.of(kindBrowser)); n != 0 {
			t.Errorf("%d browsers were started instead", n)
		}
		p.start(port)
		e = h.fails(t, wire.CodePageClosed, "a", "get", "url")
		if e.Hint != "abrowser open "+s.URL("/form") {
			t.Errorf("the hint is %q", e.Hint)
		}
		h.text(t, "a", "open", s.URL("/page/again"))
		if title := h.text(t, "a", "get", "title"); title != "again" {
			t.Errorf("in the browser that is back the page is %q", title)
		}
	})
	h.text(t, "a", "close", "--page")
	if n := len(p.tabs()); n != 1 {
		t.Errorf("%d tabs are in the person's browser, want the one it began with", n)
	}
}

// What cannot be attached to is said, with what it is, and nothing is left running.
func TestNothingToAttachTo(t *testing.T) {
	h := newHome(t)
	s := site.Start(t)
	host := strings.TrimPrefix(s.URL(""), "http://")
	for _, tt := range []struct {
		name, endpoint string
		code           wire.Code
		want           string
	}{
		{"nobody listens", "1", wire.CodeNoBrowser, "no browser answers at http://localhost:1"},
		{"a site", host, wire.CodeNoBrowser, "no browser"},
		{"a WebSocket that is none", "ws://" + host + "/?token=secret", wire.CodeNoBrowser, "HTTP status"},
		{"no port", "70000", wire.CodeBadInput, "ports are 1 to 65535"},
		{"no endpoint", "ftp://x", wire.CodeBadInput, "a port"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := h.fails(t, tt.code, "a", "--cdp", tt.endpoint, "open", "about:blank")
			if !strings.Contains(*e.Error, tt.want) || e.Hint == "" || strings.Contains(*e.Error+e.Hint, "secret") {
				t.Errorf("the error is %q with hint %q, want %q", *e.Error, e.Hint, tt.want)
			}
			if !await(personTime, func() bool { return len(h.of(kindDaemon))+len(h.of(kindKeeper)) == 0 }) {
				t.Errorf("left running: %v", h.running())
			}
		})
	}
	for _, f := range filesBelow(h.dir + "/log") {
		if strings.Contains(read(t, f), "secret") {
			t.Errorf("%s has the endpoint's token", f)
		}
	}
	// The session is not bound to what it never had.
	h.text(t, "a", "open", "about:blank")
}
