package patches

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/abrowser/abrowser/patches/cdp"
)

// rootEvent handles an event on the Mux's root session.
func (m *Mux) rootEvent(in cdp.Message) {
	switch in.Method {
	case "Target.targetCreated", "Target.targetInfoChanged":
		var p infoParams
		if in.Params(&p) == nil {
			t := m.updateTarget(p.Info)
			m.targetChanged(t, in.Method)
			if m.External && in.Method == "Target.targetCreated" {
				m.assignOwner(t)
			}
		}
	case "Target.attachedToTarget":
		var p attachedParams
		if in.Params(&p) == nil && !m.guard.attachment(p) {
			m.targetAttached(p)
		}
	case "Target.detachedFromTarget":
		var p sessionParam
		if in.Params(&p) == nil {
			m.sessionDetached(p.SessionID, in)
		}
	case "Browser.downloadWillBegin":
		m.downloads.began(in)
	case "Browser.downloadProgress":
		m.downloads.progressed(in)
	case "Target.targetDestroyed", "Target.targetCrashed":
		var p targetParam
		if in.Params(&p) == nil {
			m.targetEnded(p.TargetID, in)
		}
	}
}

// targetChanged is called when the info of target t has changed. If t is a tab, the Mux saves the
// new URL and title, because they are needed after the tab's page is gone. If method is
// Target.targetInfoChanged, the Mux sends this event on those sessions of the owner's clients that
// have turned on discovery events.
func (m *Mux) targetChanged(t *target, method string) {
	if t.owner == nil {
		if m.spare.target == t.TargetID && !m.spare.isSpare(t) {
			m.assignOwner(t) // a person has navigated the spare page
		}
		return
	}
	if t.tab != nil && t.tab.update(t.targetInfo) {
		m.saveSoon()
		if t.tab.Crashed { // the page has been loaded again
			t.tab.Crashed = false
			m.announce(t)
		}
	}
	if method == "Target.targetInfoChanged" {
		m.sendDiscovery(t.owner, method, infoParams{t.raw})
	}
}

// sendDiscovery sends a discovery event on those sessions of the tenant's clients that have turned
// on discovery events.
func (m *Mux) sendDiscovery(tn *tenant, method string, params any) {
	for _, c := range tn.clients {
		for _, s := range c.browserSessions() {
			if s.discovers {
				m.sendEvent(s, method, params)
			}
		}
	}
}

// targetAttached handles the attachedToTarget event for a new CDP session of the Mux itself. If
// Chromium attached the session because the target is new, the target is paused.
func (m *Mux) targetAttached(p attachedParams) {
	if info := p.Info.parse(); info.Type == "browser" {
		m.browserTarget = cmp.Or(m.browserTarget, info.TargetID)
		return // a client's root session; see [Mux.attachRoot]
	}
	t := m.updateTarget(p.Info)
	t.session, t.paused, t.awake = p.SessionID, p.Waiting, false
	m.attached[t.session] = t
	if !p.Waiting {
		m.journal = append(m.journal, t.session)
		m.save()
	}
	m.assignOwner(t)
}

// sessionDetached handles the end of a CDP session. It can be the Mux's own session on a target, a
// session that was handed off to a client, or a client's root session.
func (m *Mux) sessionDetached(session string, in cdp.Message) {
	if t := m.attached[session]; t != nil {
		delete(m.attached, session)
		m.removeJournal(session)
		if t.session == session {
			t.session, t.paused, t.awake, t.waiting = "", false, false, nil
		}
		return
	}
	if s := m.sessions[session]; s != nil && s.handedOff {
		m.handedOffDetached(s, in)
		return
	}
	if s := m.sessions[session]; s != nil && s.parent == nil {
		s.client.gone = true
		m.Transport.Cut(s.client.id, "the browser closed the connection")
	}
}

// targetEnded handles the event that a target is destroyed or that its renderer has crashed.
func (m *Mux) targetEnded(id string, in cdp.Message) {
	t := m.targets[id]
	if t == nil {
		return
	}
	if t.owner != nil {
		m.sendDiscovery(t.owner, in.Method, json.RawMessage(in.RawParams()))
	}
	m.spare.targetEnded(t, in.Method == "Target.targetCrashed")
	switch {
	case in.Method == "Target.targetDestroyed":
		m.removeTarget(t)
	case t.tab != nil:
		t.tab.Crashed = true
		m.save()
		if t.isNew(m.Clock()) {
			m.failPending(t)
		}
	}
}

// failPending answers each pending call on a new page with an error, because the page's renderer
// has crashed. Chromium does not answer these calls, and Playwright would wait for their replies
// forever while it sets up the page. On a page that is set up, Playwright handles the crash event
// instead.
func (m *Mux) failPending(t *target) {
	for _, n := range slices.Sorted(maps.Keys(m.pending)) {
		c := m.pending[n]
		if c.client == nil || c.client.gone || c.onReply != nil || c.session.target != t.TargetID {
			continue
		}
		m.dropCall(n)
		m.toSession(c.session, (&cdp.Error{Code: -32000, Message: "Target crashed"}).Response(c.clientID, c.session.name()))
	}
}

// removeTarget removes a target from the Mux's records after the target is gone.
func (m *Mux) removeTarget(t *target) {
	delete(m.targets, t.TargetID)
	delete(m.attached, t.session)
	t.paused = false
	if t.owner != nil {
		m.ownerLost(t)
	}
	m.goneWatches = slices.DeleteFunc(m.goneWatches, func(over func() bool) bool { return over() })
}

// dropWorkers removes the service workers of a disposed browser context from the Mux's records.
// Chromium 156 may keep such a worker and report it without its context. This report would make an
// assertion in Playwright fail, in the present clients and in every later one.
func (m *Mux) dropWorkers(context string) {
	for id, t := range m.targets {
		if t.Type != "service_worker" || t.ContextID != context {
			continue
		}
		if t.owner != nil {
			m.sendDiscovery(t.owner, "Target.targetDestroyed", targetParam{id})
		}
		m.removeTarget(t)
	}
}
