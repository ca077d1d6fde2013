package broker

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// frames is a script that counts the animation frames of a page in one second.
const frames = `new Promise(done => { let n = 0; const began = performance.now(); (function f(now) {
	if (performance.now() - began > 1000) done(n); else { n++; requestAnimationFrame(f) } })() })`

// minFrames is far below the 60 frames a second of an idle machine. A hidden page runs at most
// one frame a second.
const minFrames = 8

// state is a script that returns a page's size, visibility and focus. It waits up to a second until
// the page is visible and has the focus, because in a new process Chromium 156 sometimes reports
// both only a moment after the load.
const state = `(async () => {
	const now = () => [innerWidth, innerHeight, document.visibilityState, document.hasFocus()].join();
	for (const end = performance.now() + 1000; !now().endsWith("visible,true") && performance.now() < end;) await new Promise(f => setTimeout(f, 10));
	return now();
})()`

// checkAwake checks that the pages of four sessions have the right size, and that all four run
// animation frames and can be captured at the same time.
func checkAwake(t *testing.T, r *rig) {
	t.Helper()
	var all []*tab
	for _, name := range []string{"a", "b", "c", "d"} {
		p := r.connect(name).open()
		p.show(r.site.URL, `<title>`+name+`</title><body style="background: red">`)
		if got := p.eval(state); got != `"1280,720,visible,true"` {
			t.Errorf("page %s is %s", name, got)
		}
		all = append(all, p)
	}
	var wg sync.WaitGroup
	for _, p := range all {
		wg.Go(func() {
			value, err := p.try(frames)
			if n, _ := strconv.Atoi(value); err != nil || n < minFrames {
				t.Errorf("a background page runs %s frames a second, %v; want about 60", value, err)
			}
			took := timed(func() { _, err = p.peer.call(p.session, "Page.captureScreenshot", nil) })
			if err != nil || took > 3*time.Second {
				t.Errorf("a screenshot of a background page takes %s, %v", took, err)
			}
		})
	}
	wg.Wait()
}

func TestPagesAreAwake(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	checkAwake(t, r)
	a := r.connect("a")
	ask(r, verbs.BrokerRelease, verbs.ReleaseIn{Session: "a", Force: true})
	<-a.gone
	// The next connection to the session makes its page visible again.
	again := r.connect("a")
	page := again.tab(again.targets()[0])
	if n, _ := strconv.Atoi(page.eval(frames)); n < minFrames {
		t.Errorf("a page that was released and adopted runs %d frames a second", n)
	}
}

func TestPagesAreAwakeInHeadlessShell(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Skip("chromium-headless-shell is not installed")
	}
	checkAwake(t, start(t, wire.Settings{ExecutablePath: path}))
}

func TestPagesAreAwakeInWindows(t *testing.T) {
	t.Setenv("DISPLAY", display(t))
	t.Setenv("WAYLAND_DISPLAY", "")
	checkAwake(t, start(t, wire.Settings{Headed: true}))
}

// display starts an X server for the test and returns its name.
func display(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip("Xvfb is not installed")
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := exec.CommandContext(t.Context(), path, "-displayfd", "3", "-screen", "0", "1600x1200x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{write}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb does not start: %v", err)
	}
	return ":" + strings.TrimSpace(line)
}

// A page behind another page is hidden unless the broker keeps it visible, and the broker keeps
// only the pages of connected sessions visible.
func TestReleasedPagesAreHidden(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	a, b := r.connect("a"), r.connect("b")
	p := a.open()
	p.show(r.site.URL, `<script>setInterval(() => fetch('/beat?' + document.visibilityState + document.hasFocus()), 100)</script>`)
	b.open()
	until(t, "the page of a live session is visible", func() bool { return r.pings.has("visibletrue") })
	ask(r, verbs.BrokerRelease, verbs.ReleaseIn{Session: "a", Force: true})
	until(t, "the page of a released session is hidden", func() bool { return r.pings.has("hiddenfalse") })
}
