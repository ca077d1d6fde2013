package patches

import (
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// resumeIfReady resumes a paused target that has an owner. It does nothing while a client of the
// owner is being attached to the target, or still has to send Runtime.runIfWaitingForDebugger.
func (m *Mux) resumeIfReady(t *target) {
	if t.paused && t.owner != nil && t.attaching == 0 && len(t.waiting) == 0 {
		m.resume(t)
	}
}

// announce attaches the owner's clients to a target, on each of their browser-level sessions that
// asked for auto-attach. It then keeps the target awake ([Mux.wake]). A paused target is resumed
// first, when the clients are ready or at the latest after [Options.PauseLimit].
func (m *Mux) announce(t *target) {
	// The newest client comes first, because the target is paused for one CDP session only, and the
	// first client gets that session (see [Mux.handOff]). This matters when a program connects
	// while abrowser's daemon is a client of the same tenant. The program then gets the session,
	// and works as if the daemon were not connected.
	for _, c := range slices.Backward(t.owner.clients) {
		for _, s := range c.browserSessions() {
			m.attachClient(s, t, nil)
		}
	}
	if !t.paused {
		m.wake(t)
		return
	}
	if m.resumeIfReady(t); !t.paused {
		return
	}
	m.after(m.PauseLimit, func() {
		if t.paused {
			m.Log.Warn("target resumed before its owner was ready", "owner", t.owner.Name)
			m.resume(t)
		}
	})
}

// unresponsive reports whether the target's renderer process is gone. Calls on such a target get no
// reply, and Playwright would wait for the replies forever while it connects.
func (t *target) unresponsive() bool { return t.tab != nil && t.tab.Crashed }

// attachClient attaches a client to target t, as Chromium's auto-attach on the client's
// browser-level session s would. For each pair of s and t, it attaches the client only once. It
// calls done(), which may be nil, when the client has got the attachedToTarget event or the
// attachment has failed. If attachClient has nothing to attach, it calls done() at once.
func (m *Mux) attachClient(s *session, t *target, done func()) {
	// Clients are not attached to a service worker that is not in one of the owner's own contexts.
	// Such a worker is in the shared context, or its context is gone.
	worker := t.Type == "service_worker" && !t.owner.ownsContext(t.ContextID)
	if !s.autoAttach || s.announced[t.TargetID] || t.unresponsive() || worker || t.owner.hidesContext(t.ContextID, s.client) {
		if done != nil {
			done()
		}
		return
	}
	s.announced[t.TargetID] = true
	if t.paused && t.session != "" && s.waitForDebugger {
		m.handOff(s, t)
		if done != nil {
			done()
		}
		return
	}
	if t.paused && t.waiting == nil {
		t.waiting = map[string]bool{}
	}
	t.attaching++
	call := s.expectAttach(t.TargetID, false)
	m.call("Target.attachToTarget", encode(attachParams{t.TargetID, true}), s.id, func(in cdp.Message) {
		t.attaching--
		if err := in.Result(nil); err != nil {
			s.dropAttach(call)
			delete(s.announced, t.TargetID)
			m.Log.Debug("attaching a client to a target", "error", err)
		}
		m.resumeIfReady(t)
		if t.attaching == 0 {
			for _, fn := range t.whenAnnounced {
				fn()
			}
			t.whenAnnounced = nil
		}
		if done != nil {
			done()
		}
	})
}

type attachParams struct {
	TargetID string `json:"targetId"`
	Flatten  bool   `json:"flatten"`
}

// adoptTime is how long a client that connects waits, at most, for its tenant's pages to respond.
const adoptTime = 500 * time.Millisecond

// adopt attaches a client to the existing targets of its tenant, in the order of [Mux.targetsOf].
// It waits up to adoptTime for the pages to respond. It calls done() when the client has got the
// attachedToTarget events of the pages that responded within adoptTime. adopt attaches the client
// to any other page when that page responds.
//
// The wait is limited because Chromium, while a page navigates, delays every call on the page until
// the web server has answered. Playwright would wait for such a page while it connects.
func (m *Mux) adopt(s *session, done func()) {
	all := m.targetsOf(s.client.tenant)
	answered := map[*target]bool{}
	next, late, outstanding := 0, false, 1
	announced := func() {
		if outstanding--; outstanding == 0 {
			done()
		}
	}
	valid := func(t *target) bool {
		return m.targets[t.TargetID] == t && t.owner == s.client.tenant && !s.client.gone
	}
	announceNext := func() {
		for ; next < len(all) && (late || answered[all[next]]); next++ {
			if t := all[next]; answered[t] && valid(t) {
				outstanding++
				m.attachClient(s, t, announced)
			}
		}
	}
	finish := once(announced)
	for _, t := range all {
		if t.tab == nil || t.paused || t.session == "" {
			answered[t] = true
			continue
		}
		m.closeDialog(t) // a page with an open dialog does not respond
		m.call("Runtime.getIsolateId", nil, t.session, func(cdp.Message) {
			answered[t] = true
			if late && valid(t) {
				m.attachClient(s, t, nil)
			} else if announceNext(); next == len(all) {
				finish()
			}
		})
	}
	if announceNext(); next == len(all) {
		finish()
		return
	}
	m.after(adoptTime, func() {
		late = true
		announceNext()
		finish()
	})
}
