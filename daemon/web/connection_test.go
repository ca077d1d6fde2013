package web_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestNextDaemonAdoptsPage(t *testing.T) {
	t.Parallel()
	web, s := site.Start(t), home.Start(t)
	before := open(t, s, web.URL("/secret"))
	do(t, s, verbs.Fill, verbs.FillIn{Element: element("#kept"), Text: "kept"})
	secret := eval(t, s, "reveal()")
	do(t, s, verbs.TabNew, verbs.TabNewIn{URL: web.URL("/page/two"), Label: "second"})
	do(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: "t1"})
	s.End(t)
	next := home.Resume(t, s.Name)
	if got := eval(t, next, "reveal()"); got != secret {
		t.Errorf("the page's secret is %s, was %s", got, secret)
	}
	if got := value(t, next, "#kept"); got != "kept" {
		t.Errorf("the form holds %q", got)
	}
	all := tabs(t, next)
	if len(all) != 2 || all[0].TargetID != before.TargetID || !all[0].Active || all[1].Label == nil || *all[1].Label != "second" {
		t.Errorf("the tabs are %+v", all)
	}
	if out := do(t, next, verbs.Click, verbs.ClickIn{Element: element("h1")}); len(out.Opened) != 0 {
		t.Errorf("tabs of an earlier daemon are reported as opened: %+v", out.Opened)
	}
}

// The first command of the next daemon names a tab, and the page opens another tab while the
// command runs. The replies name the new tab, and not those that the earlier daemon has named.
func TestNextDaemonBeginsWithANamedTab(t *testing.T) {
	t.Parallel()
	web, s := site.Start(t), home.Start(t)
	open(t, s, web.URL("/page/one"))
	do(t, s, verbs.TabNew, verbs.TabNewIn{URL: web.URL("/page/two")})
	do(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: "t1"})
	eval(t, s, `setTimeout(() => {
		const gate = new XMLHttpRequest();
		gate.open("GET", "/gate/tab", false);
		gate.send();
		window.open("about:blank");
	}), 1`)
	s.End(t)
	before := questions(t, s)
	next := home.Resume(t, s.Name)
	told := make(chan []string, 1)
	go func() {
		var opened []string // on a slow machine there are also warnings that the page, which waits, does not answer
		var err error
		for end := time.Now().Add(patience); err == nil && len(opened) == 0 && time.Now().Before(end); {
			var warnings []string
			_, warnings, err = ask(t, next, verbs.GetTitle, verbs.TabIn{TabSelector: verbs.TabSelector{Tab: "t1"}})
			for _, warning := range warnings {
				if strings.Contains(warning, "has been opened") {
					opened = append(opened, warning)
				}
			}
		}
		told <- opened
	}()
	for end := time.Now().Add(patience); questions(t, s) == before && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	web.Open("tab")
	if got := <-told; len(got) != 1 || !strings.Contains(got[0], "tab t3 has been opened") {
		t.Errorf("the warnings are %q, want one about t3", got)
	}
}

func TestManyFirstCommandsMakeOnePage(t *testing.T) {
	t.Parallel()
	web, s := site.Start(t), home.Start(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if _, _, err := ask(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/page/one")}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := tabs(t, s); len(got) != 1 {
		t.Errorf("there are %d tabs: %+v", len(got), got)
	}
}

func TestCloseKeepsThePages(t *testing.T) {
	t.Parallel()
	web, s := site.Start(t), home.Start(t)
	first := open(t, s, web.URL("/page/one"))
	out := do(t, s, verbs.Close, verbs.CloseIn{})
	if out.Closed != true || out.Kept != 1 {
		t.Errorf("close = %+v", out)
	}
	awaitEnd(t, s)
	next := home.Resume(t, s.Name)
	if got := tabs(t, next); len(got) != 1 || got[0].TargetID != first.TargetID {
		t.Errorf("the tabs are %+v", got)
	}
	if got := do(t, next, verbs.Close, verbs.CloseIn{Page: true}); got.Kept != 0 {
		t.Errorf("close --page = %+v", got)
	}
	awaitEnd(t, next)
	last := home.Resume(t, s.Name)
	if got := tabs(t, last); len(got) != 0 {
		t.Errorf("after close --page the tabs are %+v", got)
	}
}

// If a session was opened with --on-end close, its tabs are closed when the session is closed, even
// by a later daemon.
func TestCloseTabsAtEnd(t *testing.T) {
	t.Parallel()
	web, s := site.Start(t), home.Start(t)
	do(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/page/one"), OnEnd: "close"})
	s.End(t)
	next := home.Resume(t, s.Name)
	open(t, next, web.URL("/page/two")) // this open has no --on-end
	if got := do(t, next, verbs.Close, verbs.CloseIn{}); got.Kept != 0 {
		t.Errorf("close = %+v", got)
	}
	awaitEnd(t, next)
	last := home.Resume(t, s.Name)
	if got := tabs(t, last); len(got) != 0 {
		t.Errorf("afterwards the tabs are %+v", got)
	}
	do(t, last, verbs.Open, verbs.OpenIn{OnEnd: "close"})
	do(t, last, verbs.Open, verbs.OpenIn{OnEnd: "keep"})
	if got := do(t, last, verbs.Close, verbs.CloseIn{}); got.Kept != 1 {
		t.Errorf("kept at last: %+v", got)
	}
	awaitEnd(t, last)
}

// awaitEnd waits until the session has no daemon.
func awaitEnd(t testing.TB, s *daemontest.Session) {
	t.Helper()
	for range 200 {
		if _, _, err := ask(t, s, verbs.Status, verbs.Empty{}); errors.Is(err, wire.CodeNotRunning) {
			s.End(t)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("the daemon of %s does not end", s.Name)
}

func awaitState(t testing.TB, s *daemontest.Session, want string) verbs.StatusOut {
	t.Helper()
	var got verbs.StatusOut
	for range 200 {
		if got = do(t, s, verbs.Status, verbs.Empty{}); got.State == want {
			return got
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("the state is %q, want %q", got.State, want)
	return got
}

// children returns the pids of those children of this process whose command line contains a word.
func children(t testing.TB, word string) []int {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		t.Skip("no /proc")
	}
	var found []int
	for _, line := range lines {
		dir := filepath.Dir(line)
		stat, _ := os.ReadFile(filepath.Join(dir, "stat")) // it may be gone
		command, _ := os.ReadFile(line)
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) && strings.Contains(string(command), word) {
			pid, err := strconv.Atoi(filepath.Base(dir))
			if err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}

func TestTheDriverIsKilled(t *testing.T) {
	web, s := site.Start(t), home.Start(t)
	open(t, s, web.URL("/secret"))
	secret := eval(t, s, "reveal()")
	drivers := children(t, "\x00driver\x00")
	if len(drivers) != 1 {
		t.Fatalf("the drivers are %v, want one", drivers)
	}
	if err := syscall.Kill(drivers[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for syscall.Kill(drivers[0], 0) == nil { // until it is gone
		time.Sleep(5 * time.Millisecond)
	}
	if got := eval(t, s, "reveal()"); got != secret {
		t.Errorf("the page's secret is %s, was %s", got, secret)
	}
	do(t, s, verbs.Click, verbs.ClickIn{Element: element("h1")})
}

// killBroker kills the broker, and waits until the keeper has reaped it.
func killBroker(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	hello, err := (&client.Client{Endpoint: home.Broker(t)}).Hello(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(hello.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for syscall.Kill(hello.PID, 0) == nil {
		time.Sleep(5 * time.Millisecond)
	}
}

func TestTheBrokerIsKilled(t *testing.T) {
	web, s := site.Start(t), home.Start(t)
	open(t, s, web.URL("/secret"))
	secret := eval(t, s, "reveal()")
	killBroker(t)
	if got := eval(t, s, "reveal()"); got != secret {
		t.Errorf("the page's secret is %s, was %s", got, secret)
	}
	do(t, s, verbs.Click, verbs.ClickIn{Element: element("h1")})
}

// If the connection is lost in the wait phase of an action, the action is still performed when the
// element is ready, exactly once.
func TestBrokerIsKilledWhileAnActionWaits(t *testing.T) {
	web, s := site.Start(t), home.Start(t)
	open(t, s, web.URL("/late?gate=late"))
	clicked := make(chan error, 1)
	go func() {
		_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("#late")})
		clicked <- err
	}()
	awaitState(t, s, "busy")
	time.Sleep(300 * time.Millisecond) // by then the driver usually waits for the element, but the test does not depend on this
	killBroker(t)
	web.Open("late")
	if err := <-clicked; err != nil {
		t.Errorf("the click ended with %v", err)
	}
	if got := text(t, s, "#clicks"); got != "1" {
		t.Errorf("the element was clicked %s times, want 1", got)
	}
}

func TestPageCrash(t *testing.T) {
	t.Parallel()
	web, s := site.Start(t), home.Start(t)
	first := open(t, s, web.URL("/page/one"))
	running := make(chan error, 1)
	go func() {
		_, _, err := ask(t, s, verbs.Wait, verbs.WaitIn{What: "#never"})
		running <- err
	}()
	awaitState(t, s, "busy")
	crashTarget(t, s, first.TargetID)
	if err := <-running; !errors.Is(err, wire.CodePageCrashed) {
		t.Errorf("the running command ended with %v, want %s", err, wire.CodePageCrashed)
	}
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element("h1")}, wire.CodePageCrashed)
	if got := open(t, s, web.URL("/page/two")); got.Title != "two" {
		t.Errorf("open after a crash = %+v", got)
	}
	if got := text(t, s, "h1"); got != "two" {
		t.Errorf("the page shows %q", got)
	}
	if tabs := do(t, s, verbs.TabList, verbs.TabListIn{}).Tabs; len(tabs) != 1 {
		t.Errorf("open left the page that crashed: %+v", tabs)
	}
}

// The session's next daemon and driver can connect although pages of the session have crashed
// and do not respond.
func TestPageCrashedBeforeDaemonStarted(t *testing.T) {
	t.Parallel()
	web, s := site.Start(t), home.Start(t)
	first := open(t, s, web.URL("/page/one"))
	beside := do(t, s, verbs.TabNew, verbs.TabNewIn{URL: web.URL("/page/beside")})
	crashTarget(t, s, first.TargetID)
	crashTarget(t, s, beside.TargetID)
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		tabs := do(t, s, verbs.TabList, verbs.TabListIn{}).Tabs
		if len(tabs) == 2 && tabs[0].Crashed && tabs[1].Crashed {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("two pages crashed, and tab list says %+v", tabs)
		}
	}
	s.End(t)
	s = home.Resume(t, s.Name)
	began := time.Now()
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element("h1")}, wire.CodePageCrashed)
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("the error that the page crashed took %v", took)
	}
	if got := open(t, s, web.URL("/page/two")); got.Title != "two" {
		t.Errorf("open after a crash = %+v", got)
	}
	do(t, s, verbs.TabClose, verbs.TabCloseIn{Tab: "t1"})
	if tabs := do(t, s, verbs.TabList, verbs.TabListIn{}).Tabs; len(tabs) != 1 || tabs[0].Crashed || tabs[0].URL != web.URL("/page/two") {
		t.Errorf("at the end the tabs are %+v", tabs)
	}
}
