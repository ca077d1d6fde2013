package web_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestRefsKeepAndGoStale(t *testing.T) {
	t.Parallel()
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

// The check of a ref sends a query about one element, so its time does not depend on the size of
// the page.
func TestRefsOfALargePage(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/renewing"))
	heading := regexp.MustCompile(`Load [0-9.]+`)
	acted, late := 0, 0
	took := 20 * time.Millisecond // how long the last snapshot took
	for try := 0; try < 45 || try < 200 && (acted < 3 || late < 3); try++ {
		wait := try
		switch { // reload when the snapshot ends, or so late that the click comes before the reload
		case try > 40:
			wait = int(took.Milliseconds()) + 4*(try%10) - 8
		case try > 20:
			wait = 5 * try
		}
		eval(t, s, fmt.Sprintf("sessionStorage.pressed = '', setTimeout(() => location.reload(), %d), 0", max(0, wait)))
		asked := time.Now()
		out := snapshot(t, s)
		took = time.Since(asked)
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
	t.Parallel()
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
