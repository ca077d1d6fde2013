package broker

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/launcher/keeper"
	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func (r *rig) pids() (browser, broker int) {
	r.t.Helper()
	s := ask(r, verbs.BrowserStatus, verbs.Empty{})
	return s.BrowserPID, s.BrokerPID
}

func TestBrokerIsKilled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		sig  syscall.Signal
	}{{"killed", syscall.SIGKILL}, {"stopped", syscall.SIGSTOP}} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t, wire.Settings{})
			a := r.connect("a")
			p := a.open()
			p.show(r.site.URL, `<title>mine</title><input id=i><script>const id = String(Math.random()); window.read = () => id</script>`)
			p.eval(`i.value = 'typed'`)
			want := p.eval("read() + i.value")
			// CDP sessions that a dead broker has left must not block the page. There are two
			// kinds of them: the broker's own session of the page, which the page's first
			// client uses, and the session of a later client. Fetch.enable makes both kinds
			// pause the page's requests.
			later := r.connect("a")
			for client, session := range map[*peer]string{a: p.session, later: later.tab(p.target).session} {
				if _, err := client.call(session, "Fetch.enable", nil); err != nil {
					t.Fatal(err)
				}
			}
			browser, broker := r.pids()
			if err := syscall.Kill(broker, tt.sig); err != nil {
				t.Fatal(err)
			}
			if tt.sig == syscall.SIGKILL {
				<-a.gone
				<-later.gone
			}
			until(t, "another broker answers", func() bool {
				s, err := try(r, verbs.BrowserStatus, verbs.Empty{})
				return err == nil && s.BrokerPID != broker
			})
			if again, _ := r.pids(); again != browser {
				t.Fatalf("the browser is %d, want %d", again, browser)
			}
			tabs := ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "a"}).Tabs
			if len(tabs) != 1 || tabs[0].TargetID != p.target || tabs[0].TabID != "t1" || tabs[0].Title != "mine" {
				t.Errorf("the new broker has the tabs %+v", tabs)
			}
			next := r.connect("a")
			if got := next.targets(); !slices.Equal(got, []string{p.target}) {
				t.Fatalf("after the restart a has the targets %q, want %q", got, p.target)
			}
			if got := next.tab(p.target).eval("read() + i.value"); got != want {
				t.Errorf("the page contains %s, want %s", got, want)
			}
			next.tab(p.target).show(r.site.URL, `<title>on</title>`)
			if got := next.open(); got == nil || !slices.Equal(r.tabs("a"), []string{"t1", "t2"}) {
				t.Errorf("tabs are %q, want t1 and t2", r.tabs("a"))
			}
		})
	}
}

func TestBrowserStop(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	a := r.connect("a")
	a.open()
	browser, _ := r.pids()
	daemon := client.Client{Endpoint: r.place}.KeepAlive()
	defer daemon.Close()
	if _, err := daemon.Hello(t.Context()); err != nil || !daemon.IsConnected() {
		t.Fatalf("the caller keeps no connection: %v", err)
	}
	if got := ask(r, verbs.BrowserStop, verbs.BrowserStopIn{}); !got.Stopped || got.Tabs != 1 {
		t.Errorf("browser stop: %+v, want one tab stopped", got)
	}
	if daemon.IsConnected() {
		t.Error("after the response to browser stop, a daemon does not notice that the broker ends")
	}
	if err := syscall.Kill(browser, 0); err == nil {
		t.Error("the browser's process still runs")
	}
	if _, err := os.Stat(r.place.Socket); err == nil {
		t.Error("the socket still exists")
	}
	<-a.gone
}

// SIGTERM to a keeper ends all its processes. No tab is lost, because the next browser opens the
// tabs again.
func TestKeeperIsOneProcess(t *testing.T) {
	t.Parallel()
	r := newRig(t, wire.Settings{})
	cmd := r.keeper()
	r.awaitBroker()
	p := r.connect("a").open()
	p.show(r.site.URL, `<title>x</title>`)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the keeper ended with %v", err)
	}
	if left := processes(r.root.Dir); len(left) > 0 {
		t.Errorf("processes are left running: %s", strings.Join(left, "\n"))
	}
	// The tabs are opened again, since SIGTERM may mean that the machine goes down.
	cmd = r.keeper()
	r.awaitBroker()
	if got := ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "a"}).Tabs; len(got) != 1 || got[0].TabID != "t1" || !strings.HasPrefix(got[0].URL, r.site.URL) {
		t.Errorf("the next browser has the tabs %+v, want t1 at its URL", got)
	}
	ask(r, verbs.BrowserStop, verbs.BrowserStopIn{})
	if err := cmd.Wait(); err != nil {
		t.Errorf("the second keeper ended with %v", err)
	}
}

// keeper starts a keeper as a process of its own.
func (r *rig) keeper() *exec.Cmd {
	r.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.CommandContext(r.t.Context(), exe, "keeper")
	cmd.Env = append(os.Environ(), "ABROWSER_HOME="+r.root.Dir)
	// The output is a file, since a pipe would stay open as long as a broker runs.
	out, err := os.Create(r.root.Path("log", "keeper.log"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer out.Close()
	r.t.Cleanup(func() {
		if raw, err := os.ReadFile(out.Name()); err == nil && r.t.Failed() {
			r.t.Logf("%s", raw)
		}
	})
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	return cmd
}

func (r *rig) awaitBroker() {
	r.t.Helper()
	until(r.t, "the broker answers", func() bool {
		_, err := try(r, verbs.BrowserStatus, verbs.Empty{})
		return err == nil
	})
}

func TestBrowserThatDoesNotStart(t *testing.T) {
	t.Parallel()
	r := newRig(t, wire.Settings{})
	bad := r.root.Path("bad")
	if err := socketstest.WriteProgram(bad, []byte("#!/bin/sh\necho cannot open shared object >&2\nexit 3\n")); err != nil {
		t.Fatal(err)
	}
	err := keeper.Run(t.Context(), keeper.Options{Root: r.root, Executable: os.Args[0], Browser: bad})
	e := wire.AsError(err)
	if e == nil || e.Code != wire.CodeNoBrowser || !strings.Contains(e.Details["stderr"].(string), "shared object") {
		t.Errorf("Run() = %v %+v, want %s with the browser's stderr", err, e, wire.CodeNoBrowser)
	}
}

func TestFrozenClientBlocksNoOther(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	other := r.connect("other")
	alone := timed(func() { work(r, other) })
	frozen := r.connect("frozen")
	frozen.mu.Lock()
	frozen.frozen = true
	frozen.mu.Unlock()
	frozen.open()
	// Another client reads nothing, while its page logs many messages.
	unread := r.connect("unread")
	p := unread.open()
	p.show(r.site.URL, `<title>loud</title>`)
	if _, err := unread.call(p.session, "Runtime.enable", nil); err != nil {
		t.Fatal(err)
	}
	unread.mu.Lock() // this blocks the client's reader at the next message
	defer unread.mu.Unlock()
	go func() {
		_ = unread.conn.Write(t.Context(), websocket.MessageText,
			[]byte(`{"id":9000,"method":"Runtime.evaluate","sessionId":"`+p.session+`","params":{"expression":"setInterval(() => console.log('x'.repeat(10000)), 1)"}}`))
	}()
	third := r.connect("third")
	beside := timed(func() { work(r, third) })
	t.Logf("alone %s, with a frozen client and one that does not read %s", alone, beside)
	if beside > 3*alone+time.Second {
		t.Errorf("with frozen clients it takes %s, alone %s", beside, alone)
	}
	until(t, "the frozen client's page is resumed", func() bool {
		tabs := ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "frozen"}).Tabs
		return len(tabs) == 1 && tabs[0].URL == "about:blank"
	})
}

// work opens a page, navigates it, opens a popup and takes a screenshot.
func work(r *rig, p *peer) {
	t := p.open()
	t.show(r.site.URL, `<button id=x onclick="window.open('/q')">x</button>`)
	known := p.targets()
	t.click("#x", "left", 0)
	popup := p.next(known)
	popup.eval("1")
	if _, err := p.call(t.session, "Page.captureScreenshot", nil); err != nil {
		r.t.Errorf("Page.captureScreenshot: %v", err)
	}
}

func timed(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

func TestLargeMessages(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	p := r.connect("a").open()
	if got := p.eval(`'x'.repeat(16 << 20)`); len(got) != 16<<20+2 {
		t.Errorf("a result of 16 MiB arrived as %d bytes", len(got))
	}
	big := bytes.Repeat([]byte("y"), 8<<20)
	if got := p.eval(`'` + string(big) + `'.length`); got != "8388608" {
		t.Errorf("a call of 8 MiB arrived as %s", got)
	}
}
