package patches

import (
	"slices"

	"github.com/abrowser/abrowser/patches/cdp"
)

// client is one connection of an owner.
type client struct {
	id           ClientID
	tenant       *tenant
	group        string // of several clients that are one for their owner; may be empty
	root         *session
	gone         bool
	quietReplies bool // see [tellQuiet]
	pending      int  // unanswered
	// whenFree is called when there are few enough of them again.
	whenReady func()
}

// session is a CDP session of a client.
type session struct {
	id              string
	client          *client
	parent          *session // nil for the client's root
	browser         bool     // it speaks to the browser, not to a page, frame or worker
	target          string
	subtype         string // the target's type
	handedOff       bool   // the browser made it for us and we gave it away, see [Board.hand]
	autoAttach      bool   // it asked to be attached to new targets
	waitForDebugger bool   // and that they wait for it
	discovers       bool   // it asked to be told of targets
	children        []*session
	lastAction      int64 // our newest call on it that acted on its page; 0 for none
	// told are the targets that it was attached to without asking for each.
	announced map[string]bool
	downloads downloadSettings
}

// name is what the client calls the session.
func (s *session) name() string {
	if s.parent == nil {
		return ""
	}
	return s.id
}

// Join lets a client of an owner in. Those of one party, where it is not empty, act as one:
// what one of them does on a page, the others hear of. ready is called with true when its
// messages may come, with false when the browser would not have it.
func (m *Mux) Join(id ClientID, name, party string, ready func(ok bool)) {
	c := &client{id: id, tenant: m.tenantFor(name), group: party}
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
			m.Log.Error("making a browser context", "error", err)
			m.Leave(id)
			ready(false)
		default:
			m.attachRoot(c, ready)
		}
	})
}

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

// Leave ends a client. Its CDP sessions are detached, its targets stay.
func (m *Mux) Leave(id ClientID) {
	c := m.clients[id]
	if c == nil {
		return
	}
	delete(m.clients, id)
	c.gone = true
	for n, waiting := range m.pending {
		if waiting.client == c && waiting.then == nil {
			m.dropCall(n)
		}
	}
	if c.root != nil {
		handed := c.root.handedOffBelow()
		m.dropSession(c.root)
		for _, s := range handed {
			m.reclaim(s)
		}
		m.detachSession(c.root.id)
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
	m.save()
}

// dropSession forgets a CDP session and those that were made on it.
func (m *Mux) dropSession(s *session) {
	for _, child := range s.children {
		m.dropSession(child)
	}
	s.children = nil
	delete(m.sessions, s.id)
	for n, waiting := range m.pending {
		if waiting.session == s && (waiting.then == nil || waiting.endsWithSession) {
			m.dropCall(n)
		}
	}
	if t := m.targets[s.target]; t != nil && t.paused {
		delete(t.waiting, s.id)
	}
}

// unlink forgets a CDP session that has ended.
func (m *Mux) removeSession(s *session) {
	s.parent.children = slices.DeleteFunc(s.parent.children, func(x *session) bool { return x == s })
	m.dropSession(s)
}

// handedBelow are the sessions below s that the browser made for us.
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

// browsers are the client's sessions that speak to the browser itself.
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

// all are the client's sessions, in the order in which they were made.
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

// isOpen reports whether a client's session still exists.
func (m *Mux) isOpen(s *session) bool { return !s.client.gone && m.sessions[s.id] == s }

// page returns the page session that a session belongs to: s itself or an ancestor.
// It is nil if s speaks to the browser.
func (s *session) page() *session {
	for ; s != nil && s.parent != nil && !s.browser; s = s.parent {
		if s.parent.browser {
			return s
		}
	}
	return nil
}
