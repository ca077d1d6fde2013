package patches

import (
	"slices"

	"github.com/abrowser/abrowser/patches/cdp"
)

// client is one connection of a tenant.
type client struct {
	id           ClientID
	tenant       *tenant
	group        string // clients with the same group act as one, see [Mux.Join]; may be empty
	root         *session
	gone         bool // the client has left
	quietReplies bool // see [enableQuietReplies]
	pending      int  // number of unanswered calls
	// whenReady, if set, is called as soon as fewer than [maxPending] calls are unanswered.
	whenReady func()
}

// session is a CDP session of a client.
type session struct {
	id              string
	client          *client
	parent          *session // nil for the client's root
	browser         bool     // a browser-level session: not attached to a page, frame or worker
	target          string
	subtype         string // the type of the target
	handedOff       bool   // the session was the Mux's own session on the target; see [Mux.handOff]
	autoAttach      bool   // browser-level only: the client has turned on auto-attach
	waitForDebugger bool   // browser-level only: the client's auto-attach pauses new targets
	discovers       bool   // browser-level only: the client has turned on discovery events
	pageEnabled     bool   // the client has enabled the Page domain
	resized         bool   // the client has emulated another size of the page; see [Mux.restoreSize]
	children        []*session
	// setupCall is the message id of the newest Page.enable or Page.disable, or of the first
	// Page.getFrameTree, that was sent on the session. It is 0 if no such call was sent. While this call
	// is unanswered, the client is setting up the page. A call after the first Page.getFrameTree does
	// not count: Playwright sends Page.enable after each input, to wait for the browser.
	setupCall   int64
	askedFrames bool  // Page.getFrameTree was sent on the session
	lastAction  int64 // message id of the client's newest action on the page; see noteAction
	// announced has the ids of the targets to which the Mux has attached the client because the
	// client turned on auto-attach on this session.
	announced   map[string]bool
	nested      bool // not flat; see [Mux.toSession]
	nestsFrames bool // the sessions of auto-attach on this session are not flat
	// attachCalls has the attachToTarget calls on this session for which no attachedToTarget event
	// has come yet, in the order in which they were sent.
	attachCalls []*attachCall
	downloads   downloadSettings
}

// name returns the sessionId in the messages between the client and the Mux. It is empty for the
// client's root session and for a session that is not flat.
func (s *session) name() string {
	if s.parent == nil || s.nested {
		return ""
	}
	return s.id
}

// Join adds a client of the named tenant. Clients with the same non-empty group act as one: if one
// of them acted on a page, the page's dialogs also go to the others of the group. Join calls
// ready(true) when the client may send messages. It calls ready(false) if the browser refused to
// create the client's root session or the tenant's private context.
func (m *Mux) Join(id ClientID, name, group string, ready func(ok bool)) {
	c := &client{id: id, tenant: m.tenantFor(name), group: group}
	c.tenant.lastSummary = nil
	m.clients[id] = c
	if !c.tenant.Incognito {
		m.attachRoot(c, ready)
		return
	}
	m.createPrivate(c.tenant, func(err error) {
		switch {
		case c.gone:
		case err != nil:
			m.Log.Error("adding an incognito client", "error", err)
			m.Leave(id)
			ready(false)
		default:
			m.attachRoot(c, ready)
		}
	})
}

// attachRoot creates the client's root session. See [Mux.Join] for the parameter ready.
func (m *Mux) attachRoot(c *client, ready func(ok bool)) {
	id := c.id
	m.call("Target.attachToBrowserTarget", nil, "", func(in cdp.Message) {
		var out sessionParam
		if err := in.Result(&out); err != nil {
			m.Log.Error("attaching to the browser", "error", err)
			m.Leave(id)
			ready(false)
			return
		}
		if c.gone {
			m.call("Target.detachFromTarget", encode(out), "", nil)
			return
		}
		c.root = &session{id: out.SessionID, client: c, browser: true, subtype: "browser", announced: map[string]bool{}}
		m.sessions[c.root.id] = c.root
		m.journal = append(m.journal, c.root.id)
		m.addClient(c)
		m.save()
		ready(true)
	})
}

// Leave removes a client, and detaches its CDP sessions. The tenant's targets stay.
func (m *Mux) Leave(id ClientID) {
	c := m.clients[id]
	if c == nil {
		return
	}
	delete(m.clients, id)
	c.gone = true
	for n, waiting := range m.pending {
		if waiting.client == c && waiting.onReply == nil {
			m.abandonCall(n)
		}
	}
	if c.root != nil {
		m.closeUnwatched(c)
		captured, resized, handed := m.capturedBelow(c.root), c.root.resizedBelow(), c.root.handedOffBelow()
		m.dropSession(c.root)
		whenNotCaptured(captured, func() {
			m.restoreSize(resized)
			for _, s := range handed {
				m.reclaim(s)
			}
			m.detachSession(c.root.id)
		})
		for _, t := range m.targetsOf(c.tenant) {
			m.resumeIfReady(t)
		}
	}
	for context, maker := range c.tenant.makers {
		if maker == c {
			delete(c.tenant.makers, context)
		}
	}
	m.removeClient(c)
	m.closeDialogs(c.tenant)
	m.save()
}

// dropSession forgets a CDP session and its descendants.
func (m *Mux) dropSession(s *session) {
	for _, child := range s.children {
		m.dropSession(child)
	}
	s.children = nil
	delete(m.sessions, s.id)
	m.forgetDialog(s)
	for n, waiting := range m.pending {
		if waiting.session == s && (waiting.onReply == nil || waiting.endsWithSession) {
			m.dropCall(n)
		}
	}
	if t := m.targets[s.target]; t != nil && t.paused {
		delete(t.waiting, s.id)
	}
}

// removeSession forgets a CDP session that has ended.
func (m *Mux) removeSession(s *session) {
	s.parent.children = slices.DeleteFunc(s.parent.children, func(x *session) bool { return x == s })
	m.dropSession(s)
	m.closeDialogs(s.client.tenant)
}

// handedOffBelow returns the sessions below s that were handed off to the client (see
// [Mux.handOff]).
func (s *session) handedOffBelow() []*session {
	var all []*session
	for _, child := range s.children {
		if child.handedOff {
			all = append(all, child)
		}
		all = append(all, child.handedOffBelow()...)
	}
	return all
}

// browserSessions returns the client's browser-level sessions, parents before their children.
func (c *client) browserSessions() []*session {
	if c.root == nil {
		return nil
	}
	all := []*session{c.root}
	for i := 0; i < len(all); i++ {
		for _, child := range all[i].children {
			if child.browser {
				all = append(all, child)
			}
		}
	}
	return all
}

// allSessions returns the client's sessions, parents before their children.
func (c *client) allSessions() []*session {
	if c.root == nil {
		return nil
	}
	all := []*session{c.root}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].children...)
	}
	return all
}

// isOpen reports whether a session still exists and its client is connected.
func (m *Mux) isOpen(s *session) bool { return !s.client.gone && m.sessions[s.id] == s }

// page returns the client's session on the page to which s belongs. This is s itself or an ancestor
// of s. The result is nil if s is a browser-level session.
func (s *session) page() *session {
	for ; s != nil && s.parent != nil && !s.browser; s = s.parent {
		if s.parent.browser {
			return s
		}
	}
	return nil
}
