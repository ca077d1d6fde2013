//go:build linux

package modes_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The window of a headed browser shows a session's page and no empty tab. When the last page
// closes, the window closes and the browser keeps running.
func TestWindowShowsASessionsPage(t *testing.T) {
	t.Parallel()
	x := e2e.NewScreen(t)
	h := e2e.NewHome(t)
	h.Env = append(h.Env, "DISPLAY="+x.Display, "XDG_CACHE_HOME="+filepath.Join(h.Outer, "cache"))
	o := e2e.Observe(t, h)
	colour := func(rgb uint32) string { return fmt.Sprintf("data:text/html,<body bgcolor=%06x>", rgb) }
	shows := func(when string, rgb uint32, pages int) {
		t.Helper()
		var pixel uint32
		if !e2e.Await(20*time.Second, func() bool { pixel = x.Pixel(600, 500); return pixel == rgb }) {
			t.Errorf("%s the screen shows the colour %06x, want %06x", when, pixel, rgb)
		}
		var now map[string]string
		if !e2e.Await(20*time.Second, func() bool { now = o.Pages(t); return len(now) == pages }) {
			t.Errorf("%s the browser has the pages %v, want %d", when, now, pages)
		}
	}
	const first, second, third, private = 0x12ab34, 0xab1234, 0x3412ab, 0x777700
	h.Text(t, "a", "--headed", "open", colour(first))
	shows("after the first open", first, 1)
	// The address bar has the keyboard focus. The page still gets the keys that a session presses.
	h.Text(t, "a", "eval", "document.body.append(document.createElement('input'))")
	h.Text(t, "a", "type", "input", "typed")
	h.Text(t, "a", "press", "End")
	h.Text(t, "a", "press", "x")
	if got := h.Text(t, "a", "get", "value", "input"); got != "typedx" {
		t.Errorf("the field has %q, want %q", got, "typedx")
	}
	h.Text(t, "b", "--headed", "open", colour(second))
	shows("with a second session", first, 2)
	h.Text(t, "", "tab", "show", "b/t1")
	shows("after tab show", second, 2)
	browser := h.Of(e2e.KindBrowser)[0]
	h.Text(t, "b", "close", "--page")
	h.Text(t, "a", "close", "--page")
	if now := o.Pages(t); len(now) != 0 {
		t.Errorf("without sessions the browser has the pages %v", now)
	}
	h.Text(t, "c", "open", colour(third))
	shows("in a new window", third, 1)
	if size := h.Text(t, "c", "eval", "[innerWidth, innerHeight, document.visibilityState].join()"); size != `"1280,720,visible"` {
		t.Errorf("the page in a new window is %s", size)
	}
	if !browser.Alive() {
		t.Error("the browser has ended with its last page")
	}
	if err := e2e.Kill(h.Of(e2e.KindBrowser)[0]); err != nil {
		t.Fatal(err)
	}
	if !e2e.Await(e2e.CommandDeadline, func() bool { return !browser.Alive() && h.Try("c", "eval", "1").Status == wire.ExitDone }) {
		t.Fatal("the browser does not come back")
	}
	shows("in a browser that was started again", third, 1)
	h.Text(t, "", "browser", "stop")
	h.Text(t, "d", "--headed", "--mode", "incognito", "open", colour(private))
	shows("of an incognito session", private, 1)
	h.Text(t, "e", "open", colour(second))
	if got := h.Text(t, "e", "eval", "innerWidth"); got != "1280" {
		t.Errorf("the shared session's page is %s wide", got)
	}
}
