package patches

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/abrowser/abrowser/patches/cdp"
)

// rootEvent takes an event on our own root.
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
		if in.Params(&p) == nil {
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

// changed tells the owner's discovering sessions of a target's new face, and
// keeps URL and title for the time when the target is gone.
func (m *Mux) targetChanged(t *target, method string) {
	if t.owner == nil {
		if m.spare.target == t.TargetID && !m.spare.isSpare(t) {
			m.assignOwner(t) // somebody has loaded something in it
		}
		return
	}
	if t.tab != nil && t.tab.update(t.targetInfo) {
		m.saveSoon()
		if t.tab.Crashed { // somebody has loaded it again
			t.tab.Crashed = false
			m.announce(t)
		}
	}
	if method == "Target.targetInfoChanged" {
		m.sendDiscovery(t.owner, method, infoParams{t.raw})
	}
}

// discovered sends a discovery event to those of the owner's sessions that asked.
func (m *Mux) sendDiscovery(tn *tenant, method string, params any) {
	for _, c := range tn.clients {
		for _, s := range c.browserSessions() {
			if s.discovers {
				m.sendEvent(s, method, params)
			}
		}
	}
}

// heldTarget takes the news that a target is there and that we hold it, paused
// if it is new.
func (m *Mux) targetAttached(p attachedParams) {
	if p.Info.parse().Type == "browser" {
		return // a client's root, known by the reply that made it
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
		m.Transport.Cut(s.client.id, "the browser ended the connection")
	}
}

// ended takes the news that a target is gone, or its renderer.
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

// failPending answers what was asked of a page whose renderer is gone, which the browser
// does not. Playwright waits for it, for ever, before it hands on a page that was made;
// of any other it takes the crash for the answer.
func (m *Mux) failPending(t *target) {
	for _, n := range slices.Sorted(maps.Keys(m.pending)) {
		c := m.pending[n]
		if c.client == nil || c.client.gone || c.then != nil || c.session.target != t.TargetID {
			continue
		}
		m.dropCall(n)
		m.Transport.ToClient(c.client.id, (&cdp.Error{Code: -32000, Message: "Target crashed"}).Response(c.clientID, c.session.name()))
	}
}

// remove takes a target out of the Board.
func (m *Mux) removeTarget(t *target) {
	delete(m.targets, t.TargetID)
	delete(m.attached, t.session)
	t.paused = false
	if t.owner != nil {
		m.ownerLost(t)
	}
	m.goneWatches = slices.DeleteFunc(m.goneWatches, func(over func() bool) bool { return over() })
}

// forgetWorkers takes the service workers of a disposed browser context out of the
// Board. Chromium 156 may keep one, without its context: a client that is told of
// it so fails (Playwright asserts on that), and so would every later one.
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
