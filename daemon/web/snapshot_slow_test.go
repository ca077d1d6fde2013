package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// A page that responds has more time for its snapshot than it has to respond, and so has a frame. The
// page and the frame of this test are busy while they are captured, like those with very many
// elements: for a snapshot, the property shadowRoot of each element is read.
func TestSnapshotOfALargePage(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	for _, large := range []string{"main", "same"} {
		enter := func() {
			if large != "main" {
				do(t, s, verbs.FrameSelect, verbs.FrameIn{Selector: large})
			}
		}
		open(t, s, web.URL("/frames"))
		enter()
		eval(t, s, `Object.defineProperty(document.body, 'shadowRoot', { get() {
			for (const end = Date.now() + (window.wasRead ? 0 : 7000); Date.now() < end; );
			window.wasRead = true;
			return null;
		} }), 0`)
		do(t, s, verbs.FrameMain, verbs.Empty{})
		out := snapshot(t, s)
		refOf(t, out, "button", "Button same")
		enter()
		if got := eval(t, s, "window.wasRead"); got != "true" {
			t.Errorf("the frame %s was not busy: %s", large, got)
		}
	}
}

// A frame that does not respond delays a snapshot by 5 s, and not until the snapshot's time is over.
func TestSnapshotWithAFrameThatSpins(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/"))
	// The host is one of its own because the frames of a site share a process.
	frame := strings.Replace(web.CrossURL("/spin"), "localhost", "frame-that-spins.localhost", 1)
	eval(t, s, "new Promise(done => document.body.append(Object.assign(document.createElement('iframe'), { name: 'spinning', src: '"+frame+"', onload: done })))")
	eval(t, s, "window.spins = new Promise(done => addEventListener('message', () => done(true))), 0")
	do(t, s, verbs.FrameSelect, verbs.FrameIn{Selector: "spinning"})
	eval(t, s, "setTimeout(() => { parent.postMessage('', '*'); document.querySelector('#spin').click(); }), 0")
	do(t, s, verbs.FrameMain, verbs.Empty{})
	eval(t, s, "window.spins")
	began := time.Now()
	out := snapshot(t, s)
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("the snapshot took %v", took)
	}
	refOf(t, out, "button", "Press me")
	if !strings.Contains(out.Snapshot, `Iframe "spinning" [unresponsive, ref=`) {
		t.Errorf("the frame is not marked:\n%s", out.Snapshot)
	}
}
