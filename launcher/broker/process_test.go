package broker

import (
	"net/url"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

// If the pages of two sessions have a frame of the same site, such as an advertiser's, an endless
// script in the frame of one session does not block the frame of the other.
func TestBusyFrameBlocksItsOwnPageOnly(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	third := strings.Replace(r.site.URL, "127.0.0.1", "localhost", 1) // another site
	frame := func(script string) string {
		return `<iframe src="` + third + "/frame?html=" + url.QueryEscape("<script>onmessage = () => { "+script+" }</script>") + `"></iframe>`
	}
	const ask = `new Promise(done => { onmessage = e => done(e.data); frames[0].postMessage('', '*') })`
	busy, other := r.connect("busy").open(), r.connect("other").open()
	busy.show(r.site.URL, frame("parent.postMessage('busy', '*'); setTimeout(() => { for (;;); }, 50)"))
	other.show(r.site.URL, frame("parent.postMessage('other', '*')"))
	if got := other.eval(ask); got != `"other"` {
		t.Fatalf("the frame answers %s", got)
	}
	if got := busy.eval(ask); got != `"busy"` {
		t.Fatalf("the busy frame answers %s", got)
	}
	other.eval(`new Promise(done => setTimeout(done, 200))`) // until the endless script runs
	if got, err := other.try(ask); got != `"other"` {
		t.Errorf("while another session's frame of the same site is busy, a frame answers %s, %v", got, err)
	}
	if got := busy.eval("6*7"); got != "42" {
		t.Errorf("6*7 is %s in the busy frame's own page", got)
	}
}
