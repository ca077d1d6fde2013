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

const frames = `new Promise(done => { let n = 0; const began = performance.now(); (function f(now) {
	if (performance.now() - began > 1000) done(n); else { n++; requestAnimationFrame(f) } })() })`

// fewest is far below the 60 of an idle machine: a page that sleeps runs one a
// second at most.
const fewest = 8

// state is what a page is within a second: Chromium 156 tells the first document of a new
// process that it is shown a moment after it has been loaded, here and there.
const state = `(async () => {
	const now = () => [innerWidth, innerHeight, document.visibilityState, document.hasFocus()].join();
	for (const end = performance.now() + 1000; !now().endsWith("visible,true") && performance.now() < end;) await new Promise(f => setTimeout(f, 10));
	return now();
})()`

// awake checks four pages at once, none of them in front: size, animation frames,
// a screenshot.
func awake(t *testing.T, r *rig) {
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
			if n, _ := strconv.Atoi(value); err != nil || n < fewest {
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
	r := start(t, wire.Settings{})
	awake(t, r)
	a := r.connect("a")
	ask(r, verbs.BrokerRelease, verbs.ReleaseIn{Session: "a", Force: true})
	<-a.gone
	// The next connection to the session wakes its page again.
	again := r.connect("a")
	page := again.tab(again.targets()[0])
	if n, _ := strconv.Atoi(page.eval(frames)); n < fewest {
		t.Errorf("a page that was released and taken up again runs %d frames a second", n)
	}
}

func TestPagesAreAwakeInHeadlessShell(t *testing.T) {
	path, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Skip("no chromium-headless-shell here")
	}
	awake(t, start(t, wire.Settings{ExecutablePath: path}))
}

func TestPagesAreAwakeInWindows(t *testing.T) {
	t.Setenv("DISPLAY", display(t))
	t.Setenv("WAYLAND_DISPLAY", "")
	awake(t, start(t, wire.Settings{Headed: true}))
}

// display starts an X server for the test and returns its name.
func display(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip("no Xvfb here")
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

// TestReleasedPagesSleep has another page in front, so that a page without our
// help is a hidden one.
func TestReleasedPagesSleep(t *testing.T) {
	r := start(t, wire.Settings{})
	a, b := r.connect("a"), r.connect("b")
	p := a.open()
	p.show(r.site.URL, `<script>setInterval(() => fetch('/beat?' + document.visibilityState + document.hasFocus()), 100)</script>`)
	b.open()
	until(t, "the page of a live session is visible", func() bool { return r.beats.has("visibletrue") })
	ask(r, verbs.BrokerRelease, verbs.ReleaseIn{Session: "a", Force: true})
	until(t, "the page of a released session is hidden", func() bool { return r.beats.has("hiddenfalse") })
}
