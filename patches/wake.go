package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// The Mux keeps the pages of a live tenant awake in background tabs. On its own session on each
// page, it turns on focus emulation and a screencast that practically never sends a frame. Without
// these, a background tab runs no animation frames and may take seconds to answer a click or a
// screenshot.

const screencast = `{"quality":1,"maxWidth":8,"maxHeight":8,"everyNthFrame":1000000}`

// resumeTime limits how long the Mux waits for the reply to Runtime.runIfWaitingForDebugger on a
// page. The reply is lost if the page moves to another process at once. After resumeTime the Mux
// assumes that the page runs, even without a reply.
const resumeTime = time.Second

// resume resumes a paused target. It wakes the target after Chromium's reply or after resumeTime,
// and not earlier: the renderer of Chromium 156 crashes (SIGSEGV) if a page with focus emulation
// navigates before its first process has started.
func (m *Mux) resume(t *target) {
	if !t.paused {
		return
	}
	t.paused, t.waiting = false, nil
	if t.handedOff != nil {
		m.resumeHandedOff(t)
		return
	}
	m.watchDialogs(t) // first, because the page may open a dialog as soon as it runs
	m.call("Runtime.runIfWaitingForDebugger", nil, t.session, func(cdp.Message) { m.wake(t) })
	m.after(resumeTime, func() { m.wake(t) })
}

// wake keeps a page awake by focus emulation and a screencast, if the page runs and its tenant is
// live. Even if the tenant is not live, wake starts to watch the page's dialogs and to show its view.
func (m *Mux) wake(t *target) {
	m.watchDialogs(t)
	m.showView(t)
	if t.session == "" || t.paused || t.awake || t.tab == nil || !t.owner.live() {
		return
	}
	t.awake = true
	if t.view != nil { // which keeps it awake
		return
	}
	m.call("Emulation.setFocusEmulationEnabled", []byte(`{"enabled":true}`), t.session, nil)
	m.call("Page.startScreencast", []byte(screencast), t.session, nil)
}

// sleep turns off the focus emulation and the screencast that [Mux.wake] turned on for a page. The
// Mux still watches the page's dialogs.
func (m *Mux) sleep(t *target) {
	if t.session == "" || !t.awake {
		return
	}
	t.awake = false
	if t.view != nil { // until the view ends
		return
	}
	m.call("Page.stopScreencast", nil, t.session, nil)
	m.call("Emulation.setFocusEmulationEnabled", []byte(`{"enabled":false}`), t.session, nil)
}

// ackFrame acknowledges a frame of the screencast. Without the acknowledgement Chromium sends no
// further frames, and the page falls asleep.
func (m *Mux) ackFrame(t *target, in cdp.Message) {
	var p struct {
		Frame int `json:"sessionId"`
	}
	if in.Params(&p) == nil {
		m.call("Page.screencastFrameAck", encode(p), t.session, nil)
	}
}
