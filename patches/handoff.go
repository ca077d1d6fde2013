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
func (m *Mux) handOff(s *session, t *target) {
	child := &session{
		id: t.session, client: s.client, parent: s, target: t.TargetID, subtype: t.Type, handedOff: true, announced: map[string]bool{},
	}
	delete(m.attached, t.session)
	t.session, t.handedOff = "", child
	m.sessions[child.id] = child
	s.children = append(s.children, child)
	if t.waiting == nil {
		t.waiting = map[string]bool{}
	}
	t.waiting[child.id] = true
	// A successor cannot count on its setAutoAttach to end it: after a detachFromTarget
	// of another session of ours on the target Chromium 156 leaves it there.
	m.journal = append(m.journal, child.id)
	m.save()
	m.sendEvent(s, "Target.attachedToTarget", attachedParams{child.id, t.raw, true})
}

// runHanded lets a target run whose session a client was given: by the client's
// own word, where it is there.
func (m *Mux) resumeHandedOff(t *target) {
	s, word := t.handedOff, t.resumeCall
	t.handedOff, t.resumeCall = nil, nil
	left := m.sessions[s.id] != s
	again := once(func() {
		if left { // not before it runs, see [Board.leave]
			m.detachSession(s.id)
		}
		m.reattach(t)
	})
	run := pendingCall{then: func(cdp.Message) { again() }}
	if word != nil {
		run = *word
		run.client.pending++
		run.then = func(in cdp.Message) {
			m.forwardReply(*word, in)
			again()
		}
	}
	id := m.nextID()
	m.pending[id] = run
	m.send(id, "Runtime.runIfWaitingForDebugger", nil, s.id)
	if t.tab != nil {
		m.after(resumeTime, again)
	}
}

// holdAgain attaches us to a page whose session a client was given.
func (m *Mux) reattach(t *target) {
	if m.targets[t.TargetID] == t && t.tab != nil && t.session == "" {
		m.attach(t)
	}
}

// takeBack ends a session that a client was given and has no more. A target that
// is still paused has to run first.
func (m *Mux) reclaim(s *session) {
	if t := m.targets[s.target]; t == nil || t.handedOff != s {
		m.detachSession(s.id)
	}
}

// detached tells a client that a session is gone that it was given.
func (m *Mux) handedOffDetached(s *session, in cdp.Message) {
	m.removeJournal(s.id)
	m.removeSession(s)
	if !s.client.gone {
		m.sendEvent(s.parent, in.Method, json.RawMessage(in.RawParams()))
	}
	if t := m.targets[s.target]; t != nil {
		if t.handedOff == s {
			t.handedOff, t.resumeCall, t.paused, t.waiting = nil, nil, false, nil
		}
		m.resumeIfReady(t)
	}
}
