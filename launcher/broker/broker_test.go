package broker

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestSessionsSeeTheirOwnPagesOnly(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	a, b := r.connect("a"), r.connect("b")
	pa, pb := a.open(), b.open()
	if got := a.targets(); !slices.Equal(got, []string{pa.target}) {
		t.Errorf("a has the targets %q, want its own %q", got, pa.target)
	}
	for _, session := range []string{"", pb.session} {
		raw, err := b.call(session, "Target.getTargets", nil)
		if err != nil || !strings.Contains(string(raw), pb.target) || strings.Contains(string(raw), pa.target) {
			t.Errorf("b's targets are %s, %v; want only its own", raw, err)
		}
		for _, method := range []string{"Target.closeTarget", "Target.attachToTarget", "Target.getTargetInfo", "Target.activateTarget"} {
			if _, err := b.call(session, method, map[string]any{"targetId": pa.target, "flatten": true}); err == nil {
				t.Errorf("%s of a's page succeeded for b", method)
			}
		}
	}
	if _, err := b.call(pa.session, "Runtime.evaluate", map[string]any{"expression": "1"}); err == nil {
		t.Error("b can use a's CDP session")
	}
	pa.show(r.site.URL, `<title>one</title><script>const secret = Math.random()</script>`)
	pb.show(r.site.URL, `<title>two</title>`)
	if got := pa.eval("document.title") + pb.eval("document.title"); got != `"one""two"` {
		t.Errorf("titles are %s", got)
	}
	if _, err := b.call("", "Browser.close", nil); err != nil {
		t.Errorf("Browser.close: %v", err)
	}
	<-b.gone
	if got := pa.eval("1+1"); got != "2" {
		t.Errorf("after b's Browser.close 1+1 is %s in a's page", got)
	}
}

func TestPopupsReachTheirOwner(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	other := r.connect("other")
	other.open()
	for _, tt := range []struct {
		name, html, button string
		modifiers          int
	}{
		{"blank", `<a id=x href=/q target=_blank>x</a>`, "left", 0},
		{"noopener", `<a id=x href=/q target=_blank rel=noopener>x</a>`, "left", 0},
		{"window.open", `<button id=x onclick="window.open('/q')">x</button>`, "left", 0},
		{"window.open noopener", `<button id=x onclick="window.open('/q', '', 'noopener')">x</button>`, "left", 0},
		{"form target", `<form action=/q target=_blank><button id=x>x</button></form>`, "left", 0},
		{"ctrl click", `<a id=x href=/q>x</a>`, "left", 2},
		{"shift click", `<a id=x href=/q>x</a>`, "left", 8},
		{"middle click", `<a id=x href=/q>x</a>`, "middle", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := "p" + strings.NewReplacer(" ", "-", ".", "-").Replace(tt.name)
			p := r.connect(name)
			opener := p.open()
			opener.show(r.site.URL, tt.html)
			known := p.targets()
			opener.click("#x", tt.button, tt.modifiers)
			popup := p.next(known)
			until(t, "the popup has loaded", func() bool {
				path, err := popup.try("location.pathname + document.readyState")
				return err == nil && path == `"/qcomplete"`
			})
			if got := r.tabs(name); !slices.Equal(got, []string{"t1", "t2"}) {
				t.Errorf("the session's tabs are %q, want t1 and t2", got)
			}
			if got := len(other.targets()); got != 1 {
				t.Errorf("another session has %d pages, want its own", got)
			}
		})
	}
}

func TestAdoptionKeepsThePage(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	first := r.connect("a")
	p := first.open()
	p.show(r.site.URL, `<input id=i><script>const id = String(Math.random()); window.read = () => id</script>`)
	p.eval(`document.querySelector('#i').value = 'typed'`)
	want := p.eval("read() + i.value")
	first.close()
	second := r.connect("a")
	if got := second.targets(); !slices.Equal(got, []string{p.target}) {
		t.Fatalf("the new connection has the targets %q, want %q", got, p.target)
	}
	if got := second.tab(p.target).eval("read() + i.value"); got != want {
		t.Errorf("the adopted page contains %s, want %s", got, want)
	}
}

func TestReleaseNotesAndPruning(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	a, b := r.connect("a"), r.connect("b")
	one, two, kept := a.open(), a.open(), b.open()
	label := "docs"
	ask(r, verbs.BrokerNote, verbs.NoteIn{Session: "a", Target: two.target, Active: true, Label: &label})
	if _, err := try(r, verbs.BrokerNote, verbs.NoteIn{Session: "a", Target: kept.target}); err == nil {
		t.Error("a changed b's tab")
	}
	tabs := ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "a"}).Tabs
	if len(tabs) != 2 || tabs[0].Active || !tabs[1].Active || tabs[1].Label == nil || *tabs[1].Label != label || tabs[1].State != verbs.StateLive {
		t.Errorf("a's tabs are %+v", tabs)
	}
	if got := ask(r, verbs.BrokerRelease, verbs.ReleaseIn{Session: "a", Force: true}); got.Kept != 2 || got.Closed != 0 {
		t.Errorf("releasing a: %+v, want 2 kept", got)
	}
	<-a.gone
	for _, tab := range ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "a"}).Tabs {
		if tab.State != verbs.StateReleased || tab.ReleasedAt.IsZero() {
			t.Errorf("a released tab is %+v", tab)
		}
	}
	if _, err := try(r, verbs.TabPrune, verbs.TabPruneIn{}); err == nil {
		t.Error("tab prune without a selector succeeded")
	}
	if got := ask(r, verbs.TabPrune, verbs.TabPruneIn{OlderThan: "1h"}).Pruned; len(got) != 0 {
		t.Errorf("tabs younger than 1h were pruned: %+v", got)
	}
	if got := ask(r, verbs.TabPrune, verbs.TabPruneIn{All: true}).Pruned; len(got) != 2 || got[0].TargetID != one.target {
		t.Errorf("pruned %+v, want a's two tabs", got)
	}
	if got := kept.eval("1+1"); got != "2" {
		t.Errorf("after pruning 1+1 is %s in b's page", got)
	}
	b2 := r.connect("b")
	b2.open()
	if got := ask(r, verbs.BrokerRelease, verbs.ReleaseIn{Session: "b", Page: true, Force: true}); got.Closed != 2 || got.Kept != 0 {
		t.Errorf("releasing b with its pages: %+v, want 2 closed", got)
	}
	if got := ask(r, verbs.BrokerSessions, verbs.Empty{}).Sessions; len(got) != 0 {
		t.Errorf("sessions remain: %+v", got)
	}
	if got := r.connect("b").open(); got == nil || !slices.Equal(r.tabs("b"), []string{"t3"}) {
		t.Errorf("b's next tab is %q, want t3: numbers are not reused", r.tabs("b"))
	}
}

// When the connections of a session's daemon are removed, the state of the session's tabs becomes
// "released", unless another client is connected to the session.
func TestDepartReleases(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	daemon := func(party string) *peer { return r.connect("a?" + wire.ParamParty + "=" + party) }
	first, second := daemon("daemon"), daemon("daemon")
	first.open()
	state := func() string { return ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "a"}).Tabs[0].State }
	ask(r, verbs.BrokerDepart, verbs.DepartIn{Session: "a", Party: "daemon"})
	if got := state(); got != verbs.StateReleased {
		t.Errorf("after the last client was removed the tab is %s", got)
	}
	<-first.gone
	<-second.gone
	third, other := daemon("next"), r.connect("a") // not "daemon": a client of a departed group cannot join
	ask(r, verbs.BrokerDepart, verbs.DepartIn{Session: "a", Party: "next"})
	<-third.gone
	if got := state(); got != verbs.StateLive {
		t.Errorf("with another client the tab is %s", got)
	}
	ask(r, verbs.BrokerDepart, verbs.DepartIn{Session: "a"})
	if got := state(); got != verbs.StateLive {
		t.Errorf("without a group the tab became %s", got)
	}
	other.close()
	ask(r, verbs.BrokerDepart, verbs.DepartIn{Session: "unknown", Party: "daemon"})
}

func TestOwnBrowserContext(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	a, b := r.connect("a"), r.connect("b")
	raw, err := a.call("", "Target.createBrowserContext", map[string]any{"disposeOnDetach": true})
	if err != nil {
		t.Fatal(err)
	}
	var c struct{ BrowserContextID string }
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	if _, err := a.call("", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": c.BrowserContextID}); err != nil {
		t.Fatalf("creating a page in its own context: %v", err)
	}
	for _, method := range []string{"Target.disposeBrowserContext", "Target.createTarget", "Storage.getCookies"} {
		if _, err := b.call("", method, map[string]any{"url": "about:blank", "browserContextId": c.BrowserContextID}); err == nil {
			t.Errorf("%s of a's context succeeded for b", method)
		}
	}
	if got := len(a.targets()); got != 1 {
		t.Errorf("a has %d pages, want 1", got)
	}
	// A lost connection does not end the session.
	a.close()
	if got := len(r.connect("a").targets()); got != 1 {
		t.Errorf("after a lost connection a has %d pages in its context, want 1", got)
	}
	ask(r, verbs.BrokerRelease, verbs.ReleaseIn{Session: "a", Force: true})
	until(t, "the context is disposed", func() bool { return len(r.tabs("a")) == 0 })
}
