package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// A spare page is a blank one in the shared context that is nobody's yet: the next
// session's first page, made ahead. It runs, is held by us, and is in no list; from
// the moment it is taken it is a page like any other. Where a person or a crash gets
// to it first, it is no spare any more. Where a person sees the windows none is made: the
// spare page there is the empty one that the browser came up with, whose tab is in front.

// spareDelay is how long there must have been no new page before one is made ahead:
// it is not to take from the time of a session that begins.
const spareDelay = 500 * time.Millisecond

// spare is the spare page, and what decides when there is to be one.
type spare struct {
	target string    // id; empty: there is none
	ready  bool      // it runs
	making bool      // it has been asked for
	seen   int       // new sessions so far
	last   time.Time // when the last page was made
}

// pageMade takes the news of a new page. Once there were as many new sessions as
// [Options.Spares] says, more are likely to come, and one is made ahead.
func (b *Board) pageMade(t *target) {
	b.dropFirstPage()
	if t.tab != nil && t.tab.Number == 1 {
		b.spare.seen++
	}
	b.spare.last = b.Clock()
	if b.Spares > 0 && b.spare.seen >= b.Spares {
		b.after(spareDelay, b.prepare)
	}
}

// prepare has ready what the next new session needs: a page, but where a person would see
// it, and what [Options.Prepare] has.
func (b *Board) prepare() {
	if b.closing || b.Clock().Sub(b.spare.last) < spareDelay { // a later page has it done
		return
	}
	if b.Prepare != nil {
		b.Prepare()
	}
	if !b.Watched && !b.Foreign {
		b.makeSpare()
	}
}

// KeepFirstPage has the empty page that a browser with windows came up with be the spare
// page: the first session gets it, so that the window shows that session and no empty tab.
func (b *Board) KeepFirstPage() {
	for _, id := range b.strays() {
		t := b.targets[id]
		if !b.Watched || b.Foreign || b.spare.target != "" || t.hold != "" || t.URL != "about:blank" {
			continue
		}
		b.spare.target = id
		b.ask("Target.attachToTarget", encode(attachParams{id, true}), "", func(cdp.Message) {
			b.spare.ready = b.spare.target == id && t.hold != ""
			b.save() // a successor is not to take it for a person's
		})
	}
}

// dropFirstPage closes the page that [Board.KeepFirstPage] kept, where a session's page was
// made that could not be it.
func (b *Board) dropFirstPage() {
	if !b.Watched || b.spare.target == "" {
		return
	}
	b.ask("Target.closeTarget", encode(targetParam{b.spare.target}), "", nil)
	b.spare.target, b.spare.ready = "", false
	b.save()
}

func (b *Board) makeSpare() {
	if b.spare.making || b.spare.target != "" || b.shared == "" || !b.hasWindow(b.shared) {
		return
	}
	b.spare.making = true
	id := b.nextID()
	b.calls[id] = call{then: func(in cdp.Message) {
		delete(b.creates, id)
		b.spare.making = false
		var out targetParam
		if err := in.Result(&out); err != nil {
			b.Log.Warn("making a spare page", "error", err)
		} else if t := b.targets[out.TargetID]; t != nil && t.owner == nil && t.hold != "" {
			b.keepSpare(t)
		}
		b.decideLeft()
	}}
	b.creates[id] = nil
	b.after(createTime, func() {
		if _, waiting := b.creates[id]; waiting {
			delete(b.creates, id)
			b.decideLeft()
		}
	})
	b.send(id, "Target.createTarget", encode(createParams{"about:blank", true, b.shared, false}), "")
}

// keepSpare lets the new page run. It is ready when it says that it does: see
// [Board.letRun].
func (b *Board) keepSpare(t *target) {
	b.spare.target = t.TargetID
	ready := func(cdp.Message) {
		b.spare.ready = b.spare.target == t.TargetID
		b.save() // a successor is not to take it for a person's
	}
	if !t.held {
		ready(cdp.Message{})
		return
	}
	t.held = false
	b.ask("Runtime.runIfWaitingForDebugger", nil, t.hold, ready)
}

// takeSpare returns the spare page for a createTarget call of no particular wishes,
// nil where there is none.
func (b *Board) takeSpare(context string, f fields) *target {
	if !b.spare.ready || context != b.shared {
		return nil
	}
	for name, value := range f {
		switch {
		case name == "background", name == "browserContextId":
		case name == "url" && string(value) == `"about:blank"`:
		default:
			return nil
		}
	}
	t := b.targets[b.spare.target]
	if t == nil || t.hold == "" {
		return nil
	}
	b.spare.target, b.spare.ready = "", false
	return t
}

// isSpare reports whether a target is the spare page, still as it was made.
func (b *Board) isSpare(t *target) bool {
	if b.spare.target != t.TargetID || t.owner != nil {
		return false
	}
	if t.URL == "" || t.URL == "about:blank" {
		return true
	}
	b.spare.target, b.spare.ready = "", false
	return false
}

// loseSpare takes the news that a target is gone or has crashed.
func (b *Board) loseSpare(t *target, crashed bool) {
	if b.spare.target != t.TargetID {
		return
	}
	b.spare.target, b.spare.ready = "", false
	if crashed {
		b.ask("Target.closeTarget", encode(targetParam{t.TargetID}), "", nil)
	}
}
