package patches

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// target is a page, or a service worker, of the browser.
type target struct {
	targetInfo
	raw     rawInfo
	owner   *tenant
	tab     *Tab   // of an owned page
	session string // the CDP session that we hold on it, "" for none
	// handed is the session that it was paused for, while it is paused and a
	// client has it; word is what that client said for it to run.
	handedOff  *session
	resumeCall *pendingCall
	paused     bool  // it is paused until we let it go
	awake      bool  // focus emulation and screencast are on
	lastCreate int64 // the newest createTarget call when it appeared: it may be of one up to that
	// waits are the owner's CDP sessions that it waits for. It is nil until the
	// owner's sessions have been attached.
	waiting   map[string]bool
	attaching int // attachments on the way
	// announced are called when the owner's sessions have been told of it.
	whenAnnounced []func()
}

type sessionParam struct {
	SessionID string `json:"sessionId"`
}

type targetParam struct {
	TargetID string `json:"targetId"`
}

// rawInfo is a TargetInfo as Chromium wrote it, members that we do not know
// included.
type rawInfo struct{ json.RawMessage }

type targetInfo struct {
	TargetID  string `json:"targetId"`
	Type      string `json:"type"`
	Title     string `json:"title"`
	URL       string `json:"url"`
	OpenerID  string `json:"openerId"`
	ContextID string `json:"browserContextId"`
}

func (r rawInfo) parse() targetInfo {
	var info targetInfo
	// What Chromium writes has this shape; what has not is a target without id.
	_ = json.Unmarshal(r.RawMessage, &info)
	return info
}

type attachedParams struct {
	SessionID string  `json:"sessionId"`
	Info      rawInfo `json:"targetInfo"`
	Waiting   bool    `json:"waitingForDebugger"`
}

type infoParams struct {
	Info rawInfo `json:"targetInfo"`
}

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
		m.downloadBegan(in)
	case "Browser.downloadProgress":
		m.downloadProgress(in)
	case "Target.targetDestroyed", "Target.targetCrashed":
		var p targetParam
		if in.Params(&p) == nil {
			m.targetEnded(p.TargetID, in)
		}
	}
}

// target returns the target that info is about, with info.
func (m *Mux) updateTarget(info rawInfo) *target {
	now := info.parse()
	t := m.targets[now.TargetID]
	if t == nil {
		t = &target{lastCreate: m.lastID}
		m.targets[now.TargetID] = t
	}
	if m.OnActivity != nil && now.Type == "page" && now.URL != t.URL {
		m.OnActivity()
	}
	t.targetInfo, t.raw = now, info
	return t
}

// changed tells the owner's discovering sessions of a target's new face, and
// keeps URL and title for the time when the target is gone.
func (m *Mux) targetChanged(t *target, method string) {
	if t.owner == nil {
		if m.spare.target == t.TargetID && !m.isSpare(t) {
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
	m.loseSpare(t, in.Method == "Target.targetCrashed")
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

// newTime is longer than Playwright takes to know a page that was made.
const newPageTime = 10 * time.Second

// isNew reports whether a page was just made and has been nowhere.
func (t *target) isNew(now time.Time) bool {
	return (t.URL == "" || t.URL == "about:blank") && now.Sub(t.tab.Opened) < newPageTime
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

// opened is when the target got its owner.
func (m *Mux) now() time.Time { return m.Clock().UTC().Truncate(time.Millisecond) }
