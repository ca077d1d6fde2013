package patches

import (
	"encoding/json"

	"github.com/abrowser/abrowser/patches/cdp"
)

// Chromium pauses a new page for the CDP session that auto-attach created, and not for a session
// that is attached later. In Chromium 156, a command that is sent on a later session before the
// page runs takes effect only after the first navigation has committed. The later session also
// never gets the event for the end of the page's first load. So the Mux hands off its own
// auto-attached session to the owner's newest client. As soon as the page runs, the Mux attaches
// again and gets a new session.

// handOff turns the Mux's own session on target t, for which t is paused, into a session of a
// client. For the client, the session is a child of the client's session s.
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
	// The next Mux has to detach this session by its id. When the next Mux turns auto-attach
	// off, Chromium 156 keeps the session if another session of this Mux on the same target
	// was detached earlier.
	m.journal = append(m.journal, child.id)
	m.save()
	m.sendEvent(s, "Target.attachedToTarget", attachedParams{child.id, t.raw, true})
}

// resumeHandedOff resumes a target whose session was handed off to a client, and attaches the Mux
// again when the target runs. If the client has already sent Runtime.runIfWaitingForDebugger on the
// session, the client gets the reply to the Mux's own call of this method.
func (m *Mux) resumeHandedOff(t *target) {
	s, resumeCall := t.handedOff, t.resumeCall
	t.handedOff, t.resumeCall = nil, nil
	gone := m.sessions[s.id] != s
	again := once(func() {
		if gone { // not earlier, because the target has to run first, see [Mux.detachUnowned]
			m.detachSession(s.id)
		}
		m.reattach(t)
	})
	run := pendingCall{onReply: func(cdp.Message) { again() }}
	if resumeCall != nil {
		run = *resumeCall
		run.client.pending++
		run.onReply = func(in cdp.Message) {
			m.forwardReply(*resumeCall, in)
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

// reattach attaches the Mux again to a page whose session it has handed off.
func (m *Mux) reattach(t *target) {
	if m.targets[t.TargetID] == t && t.tab != nil && t.session == "" {
		m.attach(t)
	}
}

// reclaim detaches a handed-off session whose client has gone. If the session's target is still
// paused, reclaim does nothing, because the target has to run before the session is detached.
// [Mux.resumeHandedOff] detaches the session later.
func (m *Mux) reclaim(s *session) {
	if t := m.targets[s.target]; t == nil || t.handedOff != s {
		m.detachSession(s.id)
	}
}

// handedOffDetached handles the event that a handed-off session has ended, and forwards the event
// to the client.
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
