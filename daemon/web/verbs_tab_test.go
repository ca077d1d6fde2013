package web_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func tabs(t testing.TB, s *daemontest.Session) []verbs.Tab {
	t.Helper()
	return do(t, s, verbs.TabList, verbs.TabListIn{}).Tabs
}

func TestTabs(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	second := do(t, s, verbs.TabNew, verbs.TabNewIn{URL: web.URL("/page/two"), Label: "docs"})
	if second.TabID != "t2" || second.Total != 2 || second.URL != web.URL("/page/two") || second.Label == nil || *second.Label != "docs" {
		t.Errorf("tab new = %+v", second)
	}
	if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/page/two") {
		t.Errorf("after tab new the page is %s", got)
	}
	all := tabs(t, s)
	if len(all) != 2 || all[0].Active || !all[1].Active || all[1].Label == nil || all[0].SessionID != "" {
		t.Errorf("tab list = %+v", all)
	}
	if out := do(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: "t1"}); out.Title != "one" || out.URL != web.URL("/page/one") {
		t.Errorf("tab t1 = %+v", out)
	}
	if out := do(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: "docs"}); out.TabID != "t2" {
		t.Errorf("tab docs = %+v", out)
	}
	do(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: all[0].TargetID})
	fails(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: "2"}, wire.CodeBadInput)
	fails(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: "t99"}, wire.CodeNotFound)
	fails(t, s, verbs.TabNew, verbs.TabNewIn{Label: "docs"}, wire.CodeBadInput)
	fails(t, s, verbs.TabNew, verbs.TabNewIn{Label: "t7"}, wire.CodeBadInput)
	if out := do(t, s, verbs.TabClose, verbs.TabCloseIn{Tab: "docs"}); out.TabID != "t2" || !out.Closed {
		t.Errorf("tab close docs = %+v", out)
	}
	fails(t, s, verbs.TabClose, verbs.TabCloseIn{}, wire.CodeBadInput)
	if out := do(t, s, verbs.TabNew, verbs.TabNewIn{}); out.TabID != "t3" {
		t.Errorf("a tab's id was used again: %+v", out)
	}
	do(t, s, verbs.TabClose, verbs.TabCloseIn{})
	if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/page/one") {
		t.Errorf("after the active tab was closed the page is %s", got)
	}
}

func TestPopups(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/popups"))
	for _, tt := range []struct {
		selector, want string
		modifiers      []string
		newTab         bool
	}{
		{"#blank", "/page/blank", nil, false},
		{"#open", "/page/window-open", nil, false},
		{"#noopener", "/page/noopener", nil, false},
		{"#target", "/page/form-target?", nil, false},
		{"#plain", "/page/plain", []string{"Control"}, false},
		{"#plain", "/page/plain", nil, true},
	} {
		t.Run(tt.selector, func(t *testing.T) {
			before := len(tabs(t, s))
			out := do(t, s, verbs.Click, verbs.ClickIn{Element: element(tt.selector), Modifiers: tt.modifiers, NewTab: tt.newTab})
			if len(out.Opened) != 1 || out.Opened[0].URL != web.URL(tt.want) || out.Opened[0].TabID == "" {
				t.Fatalf("click %s opened %+v, want %s", tt.selector, out.Opened, web.URL(tt.want))
			}
			if got := len(tabs(t, s)); got != before+1 {
				t.Errorf("there are %d tabs, want %d", got, before+1)
			}
			if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/popups") {
				t.Errorf("the popup became the active tab: %s", got)
			}
			do(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: out.Opened[0].TabID})
			do(t, s, verbs.Wait, verbs.WaitIn{What: "h1"})
			do(t, s, verbs.TabClose, verbs.TabCloseIn{})
			if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/popups") {
				t.Errorf("after the popup was closed the page is %s", got)
			}
		})
	}
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element("h1"), NewTab: true}, wire.CodeNotActionable)
}

func TestPageThatWasClosed(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	first := open(t, s, web.URL("/page/one"))
	other := home.Start(t)
	open(t, other, web.URL("/page/other"))
	// Close the tab as a person would: not by the daemon, but over the session's endpoint.
	closeTarget(t, s, first.TargetID)
	err := fails(t, s, verbs.GetText, verbs.GetIn{Element: element("h1")}, wire.CodePageClosed)
	if err.Details["tabId"] != "t1" {
		t.Errorf("the error has the details %v", err.Details)
	}
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element("h1")}, wire.CodePageClosed)
	next := open(t, s, web.URL("/page/two"))
	if next.TargetID == first.TargetID || next.TabID == "t1" {
		t.Errorf("open after that = %+v", next)
	}
	if got := text(t, other, "h1"); got != "other" {
		t.Errorf("the other session's page shows %q", got)
	}
}

// If the tab is closed while a command waits for its document, the error contains the tab's URL, too.
func TestPageThatIsClosedWhileItLoads(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	first := open(t, s, web.URL("/page/one"))
	eval(t, s, fmt.Sprintf("location = %q, 0", web.URL("/drip?n=100&ms=200")))
	do(t, s, verbs.Wait, verbs.WaitIn{What: ".drop"})
	failed := make(chan error, 1)
	go func() {
		_, _, err := ask(t, s, verbs.GetTitle, verbs.TabIn{})
		failed <- err
	}()
	for do(t, s, verbs.Status, verbs.Empty{}).Command != verbs.GetTitle.Name && len(failed) == 0 {
		time.Sleep(time.Millisecond)
	}
	closeTarget(t, s, first.TargetID)
	failure := <-failed
	if !errors.Is(failure, wire.CodePageClosed) {
		t.Fatalf("the error is %v", failure)
	}
	err := wire.AsError(failure)
	if at, _ := err.Details["url"].(string); err.Details["tabId"] != "t1" || !strings.HasPrefix(at, web.URL("/drip")) || !strings.Contains(err.Message, at) || !strings.Contains(err.Hint, at) {
		t.Errorf("the error is %+v", err)
	}
}
