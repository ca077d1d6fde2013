package broker

import (
	"net/url"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Two sessions' pages have a frame of the same site, as of an advertiser or a
// login: a script that never ends in one of them does not stop the other's.
func TestBusyFrameHoldsUpItsOwnPageOnly(t *testing.T) {
	r := start(t, wire.Settings{})
	third := strings.Replace(r.site.URL, "127.0.0.1", "localhost", 1) // another site
	frame := func(script string) string {
		return `<iframe src="` + third + "/frame?html=" + url.QueryEscape("<script>onmessage = () => { "+script+" }</script>") + `"></iframe>`
	}
	const ask = `new Promise(done => { onmessage = e => done(e.data); frames[0].postMessage('', '*') })`
	busy, calm := r.connect("busy").open(), r.connect("calm").open()
	busy.show(r.site.URL, frame("parent.postMessage('busy', '*'); setTimeout(() => { for (;;); }, 50)"))
	calm.show(r.site.URL, frame("parent.postMessage('calm', '*')"))
	if got := calm.eval(ask); got != `"calm"` {
		t.Fatalf("the frame says %s", got)
	}
	if got := busy.eval(ask); got != `"busy"` {
		t.Fatalf("the busy frame says %s", got)
	}
	calm.eval(`new Promise(done => setTimeout(done, 200))`) // the other is at it by then
	if got, err := calm.try(ask); got != `"calm"` {
		t.Errorf("beside another session's busy frame of the same site a frame says %s, %v", got, err)
	}
	if got := busy.eval("6*7"); got != "42" {
		t.Errorf("the busy frame's own page says %s", got)
	}
}
