package broker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/launcher/broker/statefile"
	"github.com/abrowser/abrowser/launcher/keeper"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// killBrowser kills the browser and waits until the broker serves another one.
func (r *rig) killBrowser() {
	r.t.Helper()
	browser, _ := r.pids()
	if err := syscall.Kill(browser, syscall.SIGKILL); err != nil {
		r.t.Fatal(err)
	}
	until(r.t, "another browser runs", func() bool {
		s, err := try(r, verbs.BrowserStatus, verbs.Empty{})
		return err == nil && s.BrowserPID != browser
	})
}

func (r *rig) urls(session string) []string {
	r.t.Helper()
	var all []string
	for _, tab := range ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: session}).Tabs {
		all = append(all, tab.TabID+" "+strings.TrimPrefix(tab.URL, r.site.URL))
	}
	return all
}

func TestBrowserIsKilled(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	a, b := r.connect("a"), r.connect("b")
	a.open().show(r.site.URL, `<title>one</title>`)
	first := a.targets()
	gone := a.open()
	a.open().show(r.site.URL, `<title>three</title>`)
	b.open().show(r.site.URL, `<title>b's</title>`)
	if _, err := a.call("", "Target.closeTarget", map[string]any{"targetId": gone.target}); err != nil {
		t.Fatal(err)
	}
	var own struct{ BrowserContextID string }
	raw, err := b.call("", "Target.createBrowserContext", nil)
	if err == nil {
		err = json.Unmarshal(raw, &own)
	}
	if err == nil {
		_, err = b.call("", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": own.BrowserContextID})
	}
	if err != nil {
		t.Fatal(err)
	}
	until(t, "a has closed its tab", func() bool { return len(r.tabs("a")) == 2 })
	wantA, wantB := r.urls("a"), r.urls("b")[:1] // a private context is lost with the browser
	for round := range 2 {
		r.killBrowser()
		<-a.gone
		if got := r.urls("a"); !slices.Equal(got, wantA) {
			t.Fatalf("after death %d a has %q, want %q", round+1, got, wantA)
		}
		if got := r.urls("b"); !slices.Equal(got, wantB) {
			t.Errorf("after death %d b has %q, want %q", round+1, got, wantB)
		}
		a = r.connect("a")
		got := a.targets()
		if len(got) != 2 || got[0] == first[0] {
			t.Fatalf("a has the targets %q", got)
		}
		until(t, "the page has loaded", func() bool {
			return slices.ContainsFunc(got, func(target string) bool {
				title, err := a.tab(target).try("document.title")
				return err == nil && title == `"three"`
			})
		})
		if notices := ask(r, verbs.BrokerNotices, verbs.NoticesIn{Session: "a"}); len(notices.Reopened) != 2 || notices.Reopened[1].TabID != "t3" || notices.Reopened[1].Empty {
			t.Errorf("a's notices are %+v", notices)
		}
	}
	notices := ask(r, verbs.BrokerNotices, verbs.NoticesIn{Session: "b"})
	if len(notices.Reopened) != 1 || len(ask(r, verbs.BrokerNotices, verbs.NoticesIn{Session: "b", Seen: notices.At}).Reopened) != 0 {
		t.Errorf("b's notices are %+v, or were not removed after they were read", notices)
	}
	if a.open(); !slices.Equal(r.tabs("a"), []string{"t1", "t3", "t4"}) {
		t.Errorf("tabs are %q, want t4 as the new one: t2 is not reused", r.tabs("a"))
	}
}

// When five browsers have died in a row, the keeper ends. For a while, another keeper starts no
// browser: it returns an error with the last browser's stderr.
func TestBrowserDiesRepeatedly(t *testing.T) {
	t.Parallel()
	r := newRig(t, wire.Settings{})
	cmd := r.keeper()
	r.awaitBroker()
	r.connect("a").open().show(r.site.URL, `<title>one</title>`)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	killed := map[int]bool{}
	until(t, "the keeper ends", func() bool {
		select {
		case <-ended:
			return true
		default:
		}
		if s, err := try(r, verbs.BrowserStatus, verbs.Empty{}); err == nil && !killed[s.BrowserPID] {
			killed[s.BrowserPID] = true
			_ = syscall.Kill(s.BrowserPID, syscall.SIGKILL)
		}
		return false
	})
	if len(killed) != 5 {
		t.Errorf("%d browsers were started and killed, want %d", len(killed), 5)
	}
	o, err := keeperOptions(t.Context(), r.root, wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	e := wire.AsError(keeper.Run(t.Context(), o))
	if e == nil || e.Code != wire.CodeNoBrowser || e.Details["stderr"] == "" || !strings.Contains(e.Hint, "another browser is tried after") {
		t.Errorf("the next keeper returns %+v, want %s with the browser's stderr and the time of the next try", e, wire.CodeNoBrowser)
	}
	// Only Chromium's crash handler may still run. It ends by itself, a moment after its browser was
	// killed.
	left := slices.DeleteFunc(processes(r.root.Dir), func(p string) bool { return strings.Contains(p, "chrome_crashpad_handler") })
	if len(left) > 0 {
		t.Errorf("processes are left running: %q", left)
	}
	until(t, "no process of the home runs", func() bool { return len(processes(r.root.Dir)) == 0 })
}

func TestCookiesOutliveTheBrowser(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	a := r.connect("a")
	a.open()
	const later = 1_900_000_000
	set := []map[string]any{
		{"name": "host", "value": "h1", "url": "https://a.example/x", "path": "/", "expires": later, "httpOnly": true, "secure": true, "sameSite": "Strict"},
		{"name": "domain", "value": "d1", "domain": ".a.example", "path": "/p", "expires": later, "sameSite": "Lax"},
		{"name": "session", "value": "s1", "url": "http://b.example:8080/", "sameSite": "None", "secure": true},
		{"name": "__Host-x", "value": "x1", "url": "https://c.example/", "secure": true, "expires": later},
		{
			"name": "apart", "value": "p1", "url": "https://d.example/", "secure": true, "sameSite": "None", "expires": later,
			"partitionKey": map[string]any{"topLevelSite": "https://top.example", "hasCrossSiteAncestor": true},
		},
		{"name": "apart", "value": "p2", "url": "https://d.example/", "secure": true, "sameSite": "None", "expires": later},
		{"name": "ip", "value": "i1", "url": "http://127.0.0.1:99/", "expires": later},
		{"name": "plain", "value": "", "url": "http://e.example/"},
	}
	if _, err := a.call("", "Storage.setCookies", map[string]any{"cookies": set}); err != nil {
		t.Fatal(err)
	}
	want := cookiesOf(t, a)
	if len(want) != len(set) {
		t.Fatalf("the browser accepted %d of %d cookies: %q", len(want), len(set), want)
	}
	ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "a", Settled: true})
	r.killBrowser()
	a = r.connect("a")
	if got := cookiesOf(t, a); !slices.Equal(got, want) {
		t.Errorf("the cookies are\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Removed cookies stay removed.
	if _, err := a.call("", "Storage.clearCookies", nil); err != nil {
		t.Fatal(err)
	}
	ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "a", Settled: true})
	r.killBrowser()
	if got := cookiesOf(t, r.connect("a")); len(got) != 0 {
		t.Errorf("removed cookies were put back: %q", got)
	}
	for _, secret := range []string{"h1", "d1", "s1", "x1", "p1", "i1"} {
		if strings.Contains(r.log.String(), "\""+secret+"\"") || strings.Contains(r.log.String(), "="+secret) {
			t.Errorf("the log contains the value %s", secret)
		}
	}
}

// At the end of a command that contacted no server, the broker does not wait for the browser, so
// the command ends even while the browser's process is stopped. A cookie that the command's
// script has set is saved a moment later.
func TestCommandWithoutActivityDoesNotWait(t *testing.T) {
	r := start(t, wire.Settings{})
	a := r.connect("a")
	tab := a.open()
	// Without this link, the page would request an icon from the server later, which is activity.
	tab.show(r.site.URL, `<link rel="icon" href="data:,">quiet`)
	settled := func() ([]verbs.Tab, time.Duration) {
		began := time.Now()
		return ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "a", Settled: true}).Tabs, time.Since(began)
	}
	settled() // consumes the activity of the navigation, so that the next call finds none
	browser, _ := r.pids()
	if err := syscall.Kill(browser, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	tabs, took := settled()
	if err := syscall.Kill(browser, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if took >= barrierTime || len(tabs) != 1 || tabs[0].TargetID != tab.target {
		t.Errorf("with a stopped browser it took %v and returned %+v", took, tabs)
	}
	tab.eval("document.cookie = 'script=kept; max-age=999999'")
	settled()
	until(t, "the cookie is saved", func() bool {
		raw, err := os.ReadFile(r.root.Path("state", "cookies-default.json"))
		return err == nil && bytes.Contains(raw, []byte("kept"))
	})
}

// A browser takes long to list thousands of cookies. No command waits for that; the cookies are
// saved a moment later.
func TestManyCookiesDelayNoCommand(t *testing.T) {
	r := start(t, wire.Settings{})
	a := r.connect("a")
	a.open()
	took := func() time.Duration {
		var all []time.Duration
		for range 15 {
			// After this call the command counts as one that may have logged in.
			if _, err := a.call("", "Storage.setCookies", map[string]any{"cookies": []any{}}); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "a", Settled: true})
			all = append(all, time.Since(began))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	few := took()
	var set []map[string]any
	for i := range 3000 {
		set = append(set, map[string]any{
			"name": fmt.Sprint("c", i%20), "value": strings.Repeat("v", 80), "url": fmt.Sprintf("https://d%d.example/", i/20), "secure": true, "expires": 1_900_000_000,
		})
	}
	if _, err := a.call("", "Storage.setCookies", map[string]any{"cookies": set}); err != nil {
		t.Fatal(err)
	}
	want := cookiesOf(t, a)
	if len(want) != len(set) {
		t.Fatalf("the browser accepted %d of %d cookies", len(want), len(set))
	}
	ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "a", Settled: true})
	until(t, "the cookies are saved", func() bool {
		raw, err := os.ReadFile(r.root.Path("state", "cookies-default.json"))
		return err == nil && bytes.Count(raw, []byte(".example\"")) >= len(set)
	})
	if many := took(); many > 8*few {
		t.Errorf("the end of a command takes %v, with few cookies %v", many, few)
	}
	r.killBrowser()
	if got := cookiesOf(t, r.connect("a")); !slices.Equal(got, want) {
		t.Errorf("after the browser died there are %d cookies, want %d", len(got), len(want))
	}
}

// cookiesOf returns the shared context's cookies with all their members.
func cookiesOf(t *testing.T, p *peer) []string {
	t.Helper()
	raw, err := p.call("", "Storage.getCookies", nil)
	var out struct{ Cookies []map[string]any }
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range out.Cookies {
		all = append(all, fmt.Sprint(c))
	}
	slices.Sort(all)
	return all
}

// If the state could not be written, it is written as soon as that is possible, even if nothing
// else happens.
func TestStateIsWrittenLater(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	a := r.connect("a")
	a.open()
	path := r.root.Path("state", "browser-default.json")
	blocker := path + ".new"
	if err := os.MkdirAll(filepath.Join(blocker, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	a.open()
	if s, err := statefile.Read(path); err != nil || len(s.State.Tenants) != 1 || len(s.State.Tenants[0].Tabs) != 1 {
		t.Fatalf("the state file was written: %+v %v", s.State.Tenants, err)
	}
	time.Sleep(time.Second) // until the new tab causes no more saves
	if err := os.RemoveAll(blocker); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	until(t, "the state file is written", func() bool {
		s, err := statefile.Read(path)
		return err == nil && len(s.State.Tenants) == 1 && len(s.State.Tenants[0].Tabs) == 2
	})
	if took := time.Since(began); took > 4*tickEvery { // a save that comes later has another cause
		t.Errorf("it was written after %s", took)
	}
}
