package patches

import (
	"encoding/json"

	"github.com/abrowser/abrowser/patches/cdp"
)

// A new page pauses for the CDP session that the browser itself attached to it,
// and not for one that was made later: what is said on a later session before
// the page runs is heard only when its first navigation has committed, and the
// end of that load is never told (Chromium 156). So the first client of the
// owner is given the browser's own session, and we attach another to hold the
// page by as soon as it runs.

// hand gives the session that a paused target waits for to a client.
func (b *Board) hand(s *session, t *target) {
	child := &session{
		id: t.hold, client: s.client, parent: s, target: t.TargetID, subtype: t.Type, handed: true, told: map[string]bool{},
	}
	delete(b.holds, t.hold)
	t.hold, t.handed = "", child
	b.routes[child.id] = child
	s.children = append(s.children, child)
	if t.waits == nil {
		t.waits = map[string]bool{}
	}
	t.waits[child.id] = true
	// A successor cannot count on its setAutoAttach to end it: after a detachFromTarget
	// of another session of ours on the target Chromium 156 leaves it there.
	b.journal = append(b.journal, child.id)
	b.save()
	b.sendEvent(s, "Target.attachedToTarget", attachedParams{child.id, t.raw, true})
}

// runHanded lets a target run whose session a client was given: by the client's
// own word, where it is there.
func (b *Board) runHanded(t *target) {
	s, word := t.handed, t.word
	t.handed, t.word = nil, nil
	left := b.routes[s.id] != s
	again := once(func() {
		if left { // not before it runs, see [Board.leave]
			b.detach(s.id)
		}
		b.holdAgain(t)
	})
	run := call{then: func(cdp.Message) { again() }}
	if word != nil {
		run = *word
		run.client.calls++
		run.then = func(in cdp.Message) {
			b.answer(*word, in)
			again()
		}
	}
	id := b.nextID()
	b.calls[id] = run
	b.send(id, "Runtime.runIfWaitingForDebugger", nil, s.id)
	if t.tab != nil {
		b.after(wakeTime, again)
	}
}

// holdAgain attaches us to a page whose session a client was given.
func (b *Board) holdAgain(t *target) {
	if b.targets[t.TargetID] == t && t.tab != nil && t.hold == "" {
		b.hold(t)
	}
}

// takeBack ends a session that a client was given and has no more. A target that
// is still paused has to run first.
func (b *Board) takeBack(s *session) {
	if t := b.targets[s.target]; t == nil || t.handed != s {
		b.detach(s.id)
	}
}

// detached tells a client that a session is gone that it was given.
func (b *Board) detached(s *session, in cdp.Message) {
	b.strike(s.id)
	b.unlink(s)
	if !s.client.gone {
		b.sendEvent(s.parent, in.Method, json.RawMessage(in.RawParams()))
	}
	if t := b.targets[s.target]; t != nil {
		if t.handed == s {
			t.handed, t.word, t.held, t.waits = nil, nil, false, nil
		}
		b.settle(t)
	}
}
