package patches

import (
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// settle lets a paused target of an owner run when nobody is left to wait for.
func (m *Mux) resumeIfReady(t *target) {
	if t.paused && t.owner != nil && t.attaching == 0 && len(t.waiting) == 0 {
		m.resume(t)
	}
}

// announce attaches the owner's browser-level sessions that want it to a target.
func (m *Mux) announce(t *target) {
	// The newest first: what the browser paused is paused for one, see [Board.hand],
	// and a program beside the session's daemon is to notice nothing of the daemon.
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
			m.Log.Warn("target let go before its owner was ready", "owner", t.owner.Name)
			m.resume(t)
		}
	})
}

// mute reports whether nobody would answer a session that is attached to the target:
// its renderer is gone. Playwright waits for such an answer before it has connected.
func (t *target) unresponsive() bool { return t.tab != nil && t.tab.Crashed }

// introduce attaches a browser-level session to a target as if the browser had
// done so, once; then is called when the client has been told, or at once.
func (m *Mux) attachClient(s *session, t *target, then func()) {
	worker := t.Type == "service_worker" && !t.owner.ownsContext(t.ContextID) // of the shared context, or of one that is gone
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
			m.Log.Debug("attaching an owner to its target", "error", err)
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

// adoptTime is how long a client that comes to living pages waits for one to answer.
const adoptTime = 500 * time.Millisecond

// adopt introduces a browser-level session to the targets that its owner has already, in
// their order; then is called when the client has been told of them. A page is introduced
// when it answers. One that does not within adoptTime is introduced when it does: Chromium
// keeps all that is asked of a page that navigates until its server has answered, and
// Playwright waits for every page that it is told of before it has connected.
func (m *Mux) adopt(s *session, then func()) {
	all := m.targetsOf(s.client.tenant)
	answered := map[*target]bool{}
	next, late, untold := 0, false, 1
	told := func() {
		if untold--; untold == 0 {
			then()
		}
	}
	lives := func(t *target) bool {
		return m.targets[t.TargetID] == t && t.owner == s.client.tenant && !s.client.gone
	}
	introduce := func() {
		for ; next < len(all) && (late || answered[all[next]]); next++ {
			if t := all[next]; answered[t] && lives(t) {
				untold++
				m.attachClient(s, t, told)
			}
		}
	}
	finish := once(told)
	for _, t := range all {
		if t.tab == nil || t.paused || t.session == "" {
			answered[t] = true
			continue
		}
		m.call("Runtime.getIsolateId", nil, t.session, func(cdp.Message) {
			answered[t] = true
			if late && lives(t) {
				m.attachClient(s, t, nil)
			} else if introduce(); next == len(all) {
				finish()
			}
		})
	}
	if introduce(); next == len(all) {
		finish()
		return
	}
	m.after(adoptTime, func() {
		late = true
		introduce()
		finish()
	})
}
