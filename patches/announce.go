package patches

import (
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// resumeIfReady resumes a paused target once no session of its owner needs the pause.
func (m *Mux) resumeIfReady(t *target) {
	if t.paused && t.owner != nil && t.attaching == 0 && len(t.waiting) == 0 {
		m.resume(t)
	}
}

// announce attaches the owner's clients to a target, for each browser-level session that
// asked for auto-attach. It then wakes the target, or resumes a paused target as soon as
// the clients are ready.
func (m *Mux) announce(t *target) {
	// The newest client comes first, because the target is paused for one CDP session
	// only, and the first client gets that session (see [Mux.handOff]). A program that
	// connects next to abrowser's daemon then works as if the daemon were not connected.
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

// unresponsive reports whether the target's renderer is gone, so that calls on the target
// get no reply. Playwright would wait for such replies while it connects.
func (t *target) unresponsive() bool { return t.tab != nil && t.tab.Crashed }

// attachClient attaches a client to a target, as Chromium's auto-attach on the
// browser-level session s would. It does so only once for each session and target. then
// is called when the client has got the attachedToTarget event, or at once if the client
// is not attached. then may be nil.
func (m *Mux) attachClient(s *session, t *target, then func()) {
	// Such a service worker is in the shared context, or its context is gone.
	worker := t.Type == "service_worker" && !t.owner.ownsContext(t.ContextID)
	if !s.autoAttach || s.announced[t.TargetID] || t.unresponsive() || worker || t.owner.hidesContext(t.ContextID, s.client) {
		if then != nil {
			then()
		}
		return
	}
	s.announced[t.TargetID] = true
	if t.paused && t.session != "" && s.waitForDebugger {
		m.handOff(s, t)
		if then != nil {
			then()
		}
		return
	}
	if t.paused && t.waiting == nil {
		t.waiting = map[string]bool{}
	}
	t.attaching++
	m.call("Target.attachToTarget", encode(attachParams{t.TargetID, true}), s.id, func(in cdp.Message) {
		t.attaching--
		if err := in.Result(nil); err != nil {
			delete(s.announced, t.TargetID)
			m.Log.Debug("attaching a client to a target", "error", err)
		}
		m.resumeIfReady(t)
		if t.attaching == 0 {
			for _, do := range t.whenAnnounced {
				do()
			}
			t.whenAnnounced = nil
		}
		if then != nil {
			then()
		}
	})
}

type attachParams struct {
	TargetID string `json:"targetId"`
	Flatten  bool   `json:"flatten"`
}

// adoptTime is how long a connecting client waits until its tenant's pages respond.
const adoptTime = 500 * time.Millisecond

// adopt attaches a client to the existing targets of its tenant, in the order of
// [Mux.targetsOf]. then is called when the client has got the attachedToTarget events.
//
// A page that responds within adoptTime is attached before then is called. Any other page
// is attached later, when it responds. While a page navigates, Chromium delays every call
// on the page until the server has answered, and Playwright would wait for the page while
// it connects.
func (m *Mux) adopt(s *session, then func()) {
	all := m.targetsOf(s.client.tenant)
	answered := map[*target]bool{}
	next, late, outstanding := 0, false, 1
	announced := func() {
		if outstanding--; outstanding == 0 {
			then()
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
		m.closeDialog(t) // an open dialog keeps the page from responding
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
