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
const wakeTime = time.Second

// letRun lets a paused target run, and then wakes it: not before it says that it
// runs. Chromium 156 loses the renderer (SIGSEGV) when a page with focus
// emulation navigates before its first process is up.
func (b *Board) letRun(t *target) {
	if !t.held {
		return
	}
	t.held, t.waits = false, nil
	if t.handed != nil {
		b.runHanded(t)
		return
	}
	b.ask("Runtime.runIfWaitingForDebugger", nil, t.hold, func(cdp.Message) { b.wake(t) })
	b.after(wakeTime, func() { b.wake(t) })
}

// wake keeps a running page of a live owner awake.
func (b *Board) wake(t *target) {
	if t.hold == "" || t.held || t.awake || t.tab == nil || !t.owner.live() {
		return
	}
	t.awake = true
	b.ask("Emulation.setFocusEmulationEnabled", []byte(`{"enabled":true}`), t.hold, nil)
	b.ask("Page.startScreencast", []byte(screencast), t.hold, nil)
}

// sleep takes off what wake put on.
func (b *Board) sleep(t *target) {
	if t.hold == "" || !t.awake {
		return
	}
	t.awake = false
	b.ask("Page.stopScreencast", nil, t.hold, nil)
	b.ask("Emulation.setFocusEmulationEnabled", []byte(`{"enabled":false}`), t.hold, nil)
}

// acknowledge answers a screencast's frame; without an answer no other comes,
// and the page would doze off.
func (b *Board) acknowledge(t *target, in cdp.Message) {
	var p struct {
		Frame int `json:"sessionId"`
	}
	if in.Params(&p) == nil {
		b.ask("Page.screencastFrameAck", encode(p), t.hold, nil)
	}
}
