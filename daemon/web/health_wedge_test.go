package web_test

import (
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestWedgedPage(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/spin"))
	eval(t, s, "setTimeout(() => document.querySelector('#spin').click(), 100), 0")
	time.Sleep(300 * time.Millisecond)
	began := time.Now()
	quick := func(what string) {
		t.Helper()
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("%s took %v on a page that spins", what, took)
		}
		began = time.Now()
	}
	if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/spin") {
		t.Errorf("get url = %s", got)
	}
	quick("get url")
	if got := do(t, s, verbs.GetTitle, verbs.TabIn{}).Title; got != "Spin" {
		t.Errorf("get title = %q", got)
	}
	quick("get title")
	do(t, s, verbs.TabList, verbs.TabListIn{})
	quick("tab list")
	fails(t, s, verbs.GetText, verbs.GetIn{Element: element("h1")}, wire.CodeWedged)
	fails(t, s, verbs.Snapshot, verbs.SnapshotIn{}, wire.CodeWedged)
	_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("h1"), TimeoutIn: verbs.TimeoutIn{Timeout: 1000}})
	if err == nil {
		t.Error("a click on a page that spins succeeded")
	}
	began = time.Now()
	do(t, s, verbs.GetURL, verbs.TabIn{})
	quick("get url, after what timed out")
	if got := do(t, s, verbs.TabNew, verbs.TabNewIn{URL: web.URL("/page/other")}).URL; got != web.URL("/page/other") {
		t.Errorf("tab new beside it = %s", got)
	}
	if got := text(t, s, "h1"); got != "other" {
		t.Errorf("the new tab shows %q", got)
	}
	if got := do(t, s, verbs.Close, verbs.CloseIn{Page: true}); got.Kept != 0 {
		t.Errorf("close --page = %+v", got)
	}
	awaitEnd(t, s)
}

func TestGetURLDoesNotWaitForLong(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	busy := make(chan error, 1)
	go func() {
		_, _, err := ask(t, s, verbs.Wait, verbs.WaitIn{What: "#never", TimeoutIn: verbs.TimeoutIn{Timeout: 6000}})
		busy <- err
	}()
	awaitState(t, s, "busy")
	began := time.Now()
	out, warnings, err := ask(t, s, verbs.GetURL, verbs.TabIn{})
	if err != nil || out.URL != web.URL("/page/one") || len(warnings) != 1 {
		t.Errorf("get url while another command runs = %+v, %q, %v", out, warnings, err)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
	<-busy
}
