package web_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// refOf returns the ref of the only element with a role and a name.
func refOf(t testing.TB, out verbs.SnapshotOut, role, name string) string {
	t.Helper()
	for _, ref := range slices.Sorted(maps.Keys(out.Refs)) {
		if out.Refs[ref] == (verbs.Ref{Role: role, Name: name}) {
			return ref
		}
	}
	t.Fatalf("no ref for %s %q in\n%s", role, name, out.Snapshot)
	return ""
}

func snapshot(t testing.TB, s *daemontest.Session) verbs.SnapshotOut {
	t.Helper()
	return do(t, s, verbs.Snapshot, verbs.SnapshotIn{})
}

func TestSnapshot(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/"))
	const want = `- heading "Fixture site" [level=1, ref=e1]
- paragraph
  - StaticText "Some bold text."
- navigation "Pages" [ref=e2]
  - link "Page one" [ref=e3]
  - link "Page two" [ref=e4]
  - link "Form" [ref=e5]
- button "Press me" [ref=e6]
- paragraph`
	if got := snapshot(t, s); got.Snapshot != want || got.Origin != web.URL("/") || len(got.Refs) != 6 {
		t.Errorf("snapshot = %+v\nwant\n%s", got, want)
	}
	for _, tt := range []struct {
		name string
		in   verbs.SnapshotIn
		want string
	}{
		{"interactive", verbs.SnapshotIn{Interactive: true}, strings.ReplaceAll(strings.ReplaceAll(want, "\n- paragraph\n  - StaticText \"Some bold text.\"", ""), "\n- paragraph", "")},
		{"compact", verbs.SnapshotIn{Compact: true}, strings.TrimSuffix(want, "\n- paragraph")},
		{"depth", verbs.SnapshotIn{Depth: 1, Interactive: true}, "- heading \"Fixture site\" [level=1, ref=e1]\n- navigation \"Pages\" [ref=e2]\n- button \"Press me\" [ref=e6]"},
		{"part", verbs.SnapshotIn{Selector: "nav"}, "- navigation \"Pages\" [ref=e2]\n  - link \"Page one\" [ref=e3]\n  - link \"Page two\" [ref=e4]\n  - link \"Form\" [ref=e5]"},
		{"part by ref", verbs.SnapshotIn{Selector: "@e6"}, "- button \"Press me\" [ref=e6]"},
		{"urls", verbs.SnapshotIn{Selector: "nav a", URLs: true}, "- link \"Page one\" [ref=e3, url=" + web.URL("/page/one") + "]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := do(t, s, verbs.Snapshot, tt.in)
			if got.Snapshot != tt.want || len(got.Refs) != 6 {
				t.Errorf("snapshot = (%d refs)\n%s\nwant\n%s", len(got.Refs), got.Snapshot, tt.want)
			}
		})
	}
	fails(t, s, verbs.Snapshot, verbs.SnapshotIn{Selector: "#nope"}, wire.CodeNotFound)
	fails(t, s, verbs.Snapshot, verbs.SnapshotIn{Selector: "a["}, wire.CodeBadInput)
}

func TestSnapshotOfFrames(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/frames"))
	out := snapshot(t, s)
	for _, name := range []string{"same", "cross", "deep"} {
		do(t, s, verbs.Click, verbs.ClickIn{Element: element(refOf(t, out, "button", "Button "+name))})
		do(t, s, verbs.Fill, verbs.FillIn{Element: element(refOf(t, out, "textbox", "Field "+name)), Text: "in " + name})
	}
	after := snapshot(t, s).Snapshot
	for _, name := range []string{"same", "cross", "deep"} {
		if !strings.Contains(after, "clicked "+name) || !strings.Contains(after, ": in "+name) {
			t.Errorf("the frame %s was not acted on:\n%s", name, after)
		}
	}
}

func TestRefsKeepAndGoStale(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/"))
	button := refOf(t, snapshot(t, s), "button", "Press me")
	link := refOf(t, snapshot(t, s), "link", "Page one")
	eval(t, s, "document.querySelector('h1').after(Object.assign(document.createElement('button'), {textContent: 'New'})); 0")
	second := snapshot(t, s)
	if got := refOf(t, second, "button", "Press me"); got != button {
		t.Errorf("the button that stayed was %s and is %s", button, got)
	}
	fresh := refOf(t, second, "button", "New")
	if _, old := second.Refs[fresh]; !old || fresh == button || fresh == link {
		t.Errorf("the new button has the ref %s", fresh)
	}
	clicks := "window.clicks = 0; addEventListener('click', () => clicks++, true), 0"
	eval(t, s, clicks)
	stale := func(what, ref string) {
		t.Helper()
		fails(t, s, verbs.Click, verbs.ClickIn{Element: element(ref)}, wire.CodeStaleRef)
		if got := eval(t, s, "clicks"); got != "0" {
			t.Errorf("%s: %s clicks happened", what, got)
		}
	}
	eval(t, s, "document.querySelectorAll('button')[1].textContent = 'Renamed', 0")
	stale("renamed", button)
	eval(t, s, "document.querySelector('nav a').remove(), 0")
	stale("removed", link)
	eval(t, s, "document.querySelector('h1 + button').replaceWith(Object.assign(document.createElement('button'), {textContent: 'New'})); 0")
	stale("replaced by its double", fresh)
	form := refOf(t, snapshot(t, s), "link", "Form")
	do(t, s, verbs.Reload, verbs.StepIn{})
	eval(t, s, clicks)
	stale("loaded anew", form)
	stale("loaded anew and looked at", form)
	if again := refOf(t, snapshot(t, s), "link", "Form"); again == form {
		t.Errorf("the ref %s was given out again after a reload", form)
	}
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element("e9999")}, wire.CodeNotFound)
	if got := do(t, s, verbs.GetCount, verbs.GetIn{Element: element(form)}).Count; got != 0 {
		t.Errorf("get count of a stale ref = %d", got)
	}
	do(t, s, verbs.TabNew, verbs.TabNewIn{})
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element(refOf(t, second, "link", "Page two"))}, wire.CodeStaleRef)
}

// The check of a ref asks only the element, so its time does not depend on the size of the
// page.
func TestRefsOfALargePage(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/"))
	eval(t, s, "for (let i = 0; i < 4000; i++) document.body.append(Object.assign(document.createElement('button'), {textContent: 'B' + i})), 0")
	whole, one := time.Hour, time.Hour
	for range 5 {
		began := time.Now()
		ref := refOf(t, snapshot(t, s), "button", "Press me")
		whole = min(whole, time.Since(began))
		began = time.Now()
		do(t, s, verbs.GetText, verbs.GetIn{Element: element(ref)})
		one = min(one, time.Since(began))
	}
	t.Logf("one %v, all %v", one, whole)
	if one > whole/4 {
		t.Errorf("to ask one element took %v, to read all of them %v", one, whole)
	}
}

// A ref is valid in the document of its snapshot, and not in a document that looks the same
// after the page was loaded again.
func TestRefsOfAPageThatLoadsAnew(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/renewing"))
	heading := regexp.MustCompile(`Load [0-9.]+`)
	acted, late := 0, 0
	for try := range 45 {
		wait := try
		if try > 20 {
			wait = 5 * try // so that some clicks come in time on a slow machine too
		}
		eval(t, s, fmt.Sprintf("sessionStorage.pressed = '', setTimeout(() => location.reload(), %d), 0", wait))
		out := snapshot(t, s)
		began := time.Now()
		_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element(refOf(t, out, "button", "Press me"))})
		pressed, _ := strconv.Unquote(eval(t, s, "sessionStorage.pressed"))
		switch read := heading.FindString(out.Snapshot); {
		case err == nil && pressed == read:
			acted++
		case errors.Is(err, wire.CodeStaleRef) && pressed == "":
			late++
			// A wait for the element would take 10 s.
			if took := time.Since(began); took > 8*time.Second {
				t.Errorf("the error that its document is gone took %v", took)
			}
		case errors.Is(err, wire.CodeResultUnknown): // the page was loaded anew during the click
		default:
			t.Errorf("what was read in %s was pressed in %q: %v", read, pressed, err)
		}
	}
	if t.Logf("%d acted, %d too late", acted, late); acted < 3 || late < 3 {
		t.Error("too few of one kind")
	}
}

func TestRefsOutliveTheDaemon(t *testing.T) {
	web, s := site.Start(t), home.Start(t)
	open(t, s, web.URL("/"))
	old := refOf(t, snapshot(t, s), "button", "Press me")
	s.End(t)
	next := home.Resume(t, s.Name)
	fails(t, next, verbs.Click, verbs.ClickIn{Element: element(old)}, wire.CodeStaleRef)
	if fresh := refOf(t, snapshot(t, next), "button", "Press me"); fresh == old {
		t.Errorf("the ref %s was given out by two daemons", old)
	}
}
