package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// Pages of a live session stay awake in whatever tab they are: with focus
// emulation and one screencast of a frame that never comes, both on the session
// that we hold on them ourselves. Without them a tab behind another runs no
// animation frames and may not answer a click or a screenshot for seconds.

const screencast = `{"quality":1,"maxWidth":8,"maxHeight":8,"everyNthFrame":1000000}`

// wakeTime is when a page is woken that did not say that it runs: the answer is
// lost when the page goes to another process right away.
const resumeTime = time.Second

// letRun lets a paused target run, and then wakes it: not before it says that it
// runs. Chromium 156 loses the renderer (SIGSEGV) when a page with focus
// emulation navigates before its first process is up.
func (m *Mux) resume(t *target) {
	if !t.paused {
		return
	}
	t.paused, t.waiting = false, nil
	if t.handedOff != nil {
		m.resumeHandedOff(t)
		return
	}
	m.call("Runtime.runIfWaitingForDebugger", nil, t.session, func(cdp.Message) { m.wake(t) })
	m.after(resumeTime, func() { m.wake(t) })
}

// wake keeps a running page of a live owner awake.
func (m *Mux) wake(t *target) {
	if t.session == "" || t.paused || t.awake || t.tab == nil || !t.owner.live() {
		return
	}
	t.awake = true
	m.call("Emulation.setFocusEmulationEnabled", []byte(`{"enabled":true}`), t.session, nil)
	m.call("Page.startScreencast", []byte(screencast), t.session, nil)
}

// sleep takes off what wake put on.
func (m *Mux) sleep(t *target) {
	if t.session == "" || !t.awake {
		return
	}
	t.awake = false
	m.call("Page.stopScreencast", nil, t.session, nil)
	m.call("Emulation.setFocusEmulationEnabled", []byte(`{"enabled":false}`), t.session, nil)
}

// acknowledge answers a screencast's frame; without an answer no other comes,
// and the page would doze off.
func (m *Mux) ackFrame(t *target, in cdp.Message) {
	var p struct {
		Frame int `json:"sessionId"`
	}
	if in.Params(&p) == nil {
		m.call("Page.screencastFrameAck", encode(p), t.session, nil)
	}
}
