//go:build linux

package modes_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Two sessions work in a browser that a person has started and uses. Each session has its own
// page. abrowser does not change the person's pages and does not attach to them, and these pages
// never wait for abrowser.
func TestAttached(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	p := e2e.NewPerson(t, h, "")
	mine := p.Open(s.URL("/page/mine"))
	idle := p.Open(s.URL("/secret"))
	window := p.Window(mine)

	h.Text(t, "one", "--cdp", p.Port, "open", s.URL("/form"))
	h.Text(t, "two", "--cdp", "http://127.0.0.1:"+p.Port+"/", "open", s.URL("/popups"))
	h.Text(t, "one", "fill", "#name", "Ada")
	out := e2e.Ask[verbs.ClickOut](t, h, "two", "click", "#noopener")
	if len(out.Opened) != 1 {
		t.Errorf("the click reported %v, want the popup", out.Opened)
	}
	if got := h.Text(t, "one", "eval", "document.visibilityState"); got != `"visible"` {
		t.Errorf("the session's page is %s", got)
	}
	all := e2e.Ask[verbs.TabsOut](t, h, "one", "tab", "--all").Tabs
	if got := lines(all); got != "one/t1 live attached, two/t1 live attached, two/t2 live attached" {
		t.Errorf("tab --all lists %s", got)
	}
	if n := len(h.Of(e2e.KindBroker)); n != 1 || len(h.Of(e2e.KindBrowser)) != 0 {
		t.Errorf("%d brokers and %d browsers of ours, want one and none", n, len(h.Of(e2e.KindBrowser)))
	}
	status := e2e.Ask[verbs.BrowserStatusOut](t, h, "one", "browser", "status")
	if status.Mode != wire.ModeAttached || status.Endpoint != "http://localhost:"+p.Port || status.BrowserPID != 0 {
		t.Errorf("browser status: %+v", status)
	}

	t.Run("the person does not wait", func(t *testing.T) {
		p.In(t)
		broker := h.Of(e2e.KindBroker)[0].PID
		if err := syscall.Kill(broker, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		// The new tabs should load long before the keeper replaces the stopped broker.
		late := p.Open(s.URL("/page/late"))
		p.Eval(mine, "window.open('"+s.URL("/page/popup")+"'); 1")
		loaded := e2e.Await(e2e.PersonTime, func() bool {
			titles := ""
			for _, tab := range p.Tabs() {
				titles += tab.Title + " "
			}
			return strings.Contains(titles, "late ") && strings.Contains(titles, "popup ")
		})
		if err := syscall.Kill(broker, syscall.SIGCONT); err != nil {
			t.Log(err) // the broker was replaced
		}
		if !loaded {
			t.Errorf("with the broker stopped, the person's new tabs do not load: %v", p.Tabs())
		}
		if tab := p.Tabs()[late]; tab.Attached {
			t.Error("a person's tab has a debugger on it")
		}
	})
	h.Text(t, "one", "get", "url")
	for target, tab := range p.Tabs() {
		ours := slices.ContainsFunc(all, func(o verbs.Tab) bool { return o.TargetID == target })
		if tab.Attached != ours {
			t.Errorf("a debugger is on %+v: %v; it is ours: %v", tab, tab.Attached, ours)
		}
	}
	if now := p.Window(mine); now != window {
		t.Errorf("the person's window is %s, was %s", now, window)
	}

	t.Run("close keeps the session's tabs, close --page closes them", func(t *testing.T) {
		p.In(t)
		before := len(p.Tabs())
		if out := e2e.Ask[verbs.CloseOut](t, h, "one", "close"); out.Kept != 1 {
			t.Errorf("close: %+v", out)
		}
		if got := len(p.Tabs()); got != before {
			t.Errorf("after close there are %d tabs, were %d", got, before)
		}
		h.Text(t, "two", "close", "--page")
		if got := len(p.Tabs()); got != before-2 {
			t.Errorf("after close --page there are %d tabs, want %d", got, before-2)
		}
		// The session gets its page back, unchanged.
		if got := h.Text(t, "one", "--cdp", p.Port, "get", "value", "#name"); got != "Ada" {
			t.Errorf("the page that was kept says %q", got)
		}
	})
	t.Run("browser stop only detaches", func(t *testing.T) {
		p.In(t)
		before := len(p.Tabs())
		out := e2e.Ask[verbs.BrowserStopOut](t, h, "one", "browser", "stop")
		if out.Stopped || !out.Detached {
			t.Errorf("browser stop: %+v", out)
		}
		if !p.Alive() || len(p.Tabs()) != before {
			t.Fatalf("the person's browser lives: %v, with %d tabs, had %d", p.Alive(), len(p.Tabs()), before)
		}
		if got := h.Text(t, "one", "get", "value", "#name"); got != "Ada" {
			t.Errorf("afterwards the page says %q", got)
		}
	})
	t.Run("without a session abrowser detaches", func(t *testing.T) {
		p.In(t)
		h.Text(t, "one", "--browser-idle-timeout", "1s", "get", "url")
		h.Text(t, "one", "close")
		before := len(p.Tabs())
		if !e2e.Await(e2e.PersonTime, func() bool { return len(h.Of(e2e.KindBroker))+len(h.Of(e2e.KindKeeper)) == 0 }) {
			t.Errorf("still attached: %v", h.Of(e2e.KindBroker))
		}
		if !p.Alive() || len(p.Tabs()) != before {
			t.Fatalf("the person's browser lives: %v, with %d tabs, had %d", p.Alive(), len(p.Tabs()), before)
		}
		if got := h.Text(t, "one", "--cdp", p.Port, "get", "value", "#name"); got != "Ada" {
			t.Errorf("afterwards the page says %q", got)
		}
	})
	if got := p.Eval(idle, "document.title"); p.Tabs()[idle].URL != s.URL("/secret") || got == "" {
		t.Errorf("the person's tab is %+v", p.Tabs()[idle])
	}
}

// lines returns a sorted list of tabs as text, with the session, id, state and mode of each tab.
func lines(tabs []verbs.Tab) string {
	var all []string
	for _, tab := range tabs {
		all = append(all, tab.SessionID+"/"+tab.TabID+" "+tab.State+" "+tab.Mode)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// After the broker, the daemon or the keeper of an attached session is killed, the next command
// finds the session's page again. After the person's browser is killed, the error says what is
// missing, and no other browser is started instead.
func TestAttachedIsKilled(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	p := e2e.NewPerson(t, h, "")
	h.Text(t, "a", "--cdp", p.Port, "open", s.URL("/form"))
	h.Text(t, "a", "fill", "#name", "Ada")
	for _, kind := range []string{e2e.KindBroker, e2e.KindDaemon, e2e.KindKeeper} {
		t.Run(kind, func(t *testing.T) {
			if err := e2e.Kill(h.Of(kind)[0]); err != nil {
				t.Fatal(err)
			}
			if kind == e2e.KindBroker { // wait until the keeper has replaced it
				e2e.Await(e2e.PersonTime, func() bool { return h.Try("", "session", "list").Status == 0 && len(h.Of(e2e.KindBroker)) == 1 })
			}
			if got := h.Text(t, "a", "get", "value", "#name"); got != "Ada" {
				t.Errorf("afterwards the page says %q", got)
			}
		})
	}
	t.Run("the browser", func(t *testing.T) {
		p.In(t)
		port := p.Port
		p.End()
		if !e2e.Await(e2e.PersonTime, func() bool { return len(h.Of(e2e.KindBroker)) == 0 }) {
			t.Error("the broker of a browser that is gone is left")
		}
		e := h.Fails(t, wire.CodeNoBrowser, "a", "get", "url")
		if !strings.Contains(*e.Error, "localhost:"+port) || !strings.Contains(e.Hint, "--remote-debugging-port="+port) {
			t.Errorf("the error is %q with hint %q", *e.Error, e.Hint)
		}
		if n := len(h.Of(e2e.KindBrowser)); n != 0 {
			t.Errorf("%d browsers were started instead", n)
		}
		p.Start(port)
		e = h.Fails(t, wire.CodePageClosed, "a", "get", "url")
		if e.Hint != "abrowser open "+s.URL("/form") {
			t.Errorf("the hint is %q", e.Hint)
		}
		h.Text(t, "a", "open", s.URL("/page/again"))
		if title := h.Text(t, "a", "get", "title"); title != "again" {
			t.Errorf("in the browser that is back the page is %q", title)
		}
	})
	h.Text(t, "a", "close", "--page")
	if n := len(p.Tabs()); n != 1 {
		t.Errorf("%d tabs are in the person's browser, want the one it began with", n)
	}
}

// If abrowser cannot attach to an endpoint, the error says why and has a hint. Neither the error
// nor a log contains the endpoint's token, and no daemon or keeper is left running.
func TestNothingToAttachTo(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	s := site.Start(t)
	host := strings.TrimPrefix(s.URL(""), "http://")
	for _, tt := range []struct {
		name, endpoint string
		code           wire.Code
		want           string
	}{
		{"no listener", "1", wire.CodeNoBrowser, "no browser answers at http://localhost:1"},
		{"a site", host, wire.CodeNoBrowser, "it is not a browser"},
		{"no WebSocket", "ws://" + host + "/?token=secret", wire.CodeNoBrowser, "HTTP status"},
		{"invalid port", "70000", wire.CodeBadInput, "ports are 1 to 65535"},
		{"invalid endpoint", "ftp://x", wire.CodeBadInput, "a port"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := h.Fails(t, tt.code, "a", "--cdp", tt.endpoint, "open", "about:blank")
			if !strings.Contains(*e.Error, tt.want) || e.Hint == "" || strings.Contains(*e.Error+e.Hint, "secret") {
				t.Errorf("the error is %q with hint %q, want %q", *e.Error, e.Hint, tt.want)
			}
			if !e2e.Await(e2e.PersonTime, func() bool { return len(h.Of(e2e.KindDaemon))+len(h.Of(e2e.KindKeeper)) == 0 }) {
				t.Errorf("left running: %v", h.Running())
			}
		})
	}
	for _, f := range e2e.FilesBelow(h.Dir + "/log") {
		if strings.Contains(read(t, f), "secret") {
			t.Errorf("%s has the endpoint's token", f)
		}
	}
	// The failed attempts have not bound the session to an endpoint, so the session can use the
	// shared browser.
	h.Text(t, "a", "open", "about:blank")
}

// The command connect opens a session in a browser that a person has started. Later commands of the
// session need no endpoint.
func TestAttachedConnect(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	p := e2e.NewPerson(t, h, "")
	before := len(p.Tabs())
	out := e2e.Ask[verbs.ConnectOut](t, h, "one", "connect", p.Port)
	if !out.Launched || out.TabID != "t1" || p.Tabs()[out.TargetID].URL != out.URL || len(p.Tabs()) != before+1 {
		t.Errorf("connect = %+v, and the person's browser has %+v", out, p.Tabs())
	}
	h.Text(t, "one", "open", s.URL("/page/two"))
	if got := p.Tabs()[out.TargetID].URL; got != s.URL("/page/two") {
		t.Errorf("the session's tab is at %s", got)
	}
	if n := len(h.Of(e2e.KindBrowser)); n != 0 {
		t.Errorf("%d browsers were started", n)
	}
	h.Text(t, "one", "close", "--page")
}
