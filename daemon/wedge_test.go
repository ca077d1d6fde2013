package daemon_test

import (
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestWedgedPage(t *testing.T) {
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
	if got := do(t, s, wire.GetURL, wire.TabIn{}).URL; got != web.URL("/spin") {
		t.Errorf("get url = %s", got)
	}
	quick("get url")
	if got := do(t, s, wire.GetTitle, wire.TabIn{}).Title; got != "Spin" {
		t.Errorf("get title = %q", got)
	}
	quick("get title")
	do(t, s, wire.TabList, wire.TabListIn{})
	quick("tab list")
	fails(t, s, wire.GetText, wire.GetIn{Element: element("h1")}, wire.CodeWedged)
	fails(t, s, wire.Snapshot, wire.SnapshotIn{}, wire.CodeWedged)
	_, _, err := ask(t, s, wire.Click, wire.ClickIn{Element: element("h1"), Waits: wire.Waits{Timeout: 1000}})
	if err == nil {
		t.Error("a click on a page that spins succeeded")
	}
	began = time.Now()
	do(t, s, wire.GetURL, wire.TabIn{})
	quick("get url, after what timed out")
	if got := do(t, s, wire.TabNew, wire.TabNewIn{URL: web.URL("/page/other")}).URL; got != web.URL("/page/other") {
		t.Errorf("tab new beside it = %s", got)
	}
	if got := text(t, s, "h1"); got != "other" {
		t.Errorf("the new tab shows %q", got)
	}
	if got := do(t, s, wire.Close, wire.CloseIn{Page: true}); got.Kept != 0 {
		t.Errorf("close --page = %+v", got)
	}
	awaitEnd(t, s)
}

func TestGetURLDoesNotWaitForLong(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	busy := make(chan error, 1)
	go func() {
		_, _, err := ask(t, s, wire.Wait, wire.WaitIn{What: "#never", Waits: wire.Waits{Timeout: 6000}})
		busy <- err
	}()
	awaitState(t, s, "busy")
	began := time.Now()
	out, warnings, err := ask(t, s, wire.GetURL, wire.TabIn{})
	if err != nil || out.URL != web.URL("/page/one") || len(warnings) != 1 {
		t.Errorf("get url while another command runs = %+v, %q, %v", out, warnings, err)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
	<-busy
}
