package patches

import (
	"cmp"
	"slices"
	"time"
)

// owner is a session of abrowser: who targets belong to.
type tenant struct {
	Tenant
	clients     []*client
	tabs        map[string]*Tab // by target id
	connections int             // counts connections, so that a late timer finds nothing to do
	popupUntil  time.Time       // until when a click that may open a tab is in flight
	pageEvents  int             // how often its clients were told of what a page did, see [tells]
	activity    bool            // see [Board.HasMoved]
	lastSummary *summary        // when that was asked; nil: not since a client came
	// makers are the clients that made the owner's own browser contexts.
	makers map[string]*client
	// secluded are called when an incognito owner has its context. Nil: nobody waits.
	whenPrivate []func(error)
}

func (m *Mux) tenantFor(name string) *tenant {
	tn := m.tenants[name]
	if tn == nil {
		now := m.now()
		tn = &tenant{Tenant: Tenant{Name: name, NextTab: 1, Created: now, Last: now}, tabs: map[string]*Tab{}, makers: map[string]*client{}}
		m.tenants[name] = tn
	}
	return tn
}

// private reports whether a browser context is not for a client: one that was
// there before its maker, and would take its pages for pages of the shared one.
func (tn *tenant) hidesContext(context string, c *client) bool {
	maker := tn.makers[context]
	return maker != nil && !maker.gone && c.id < maker.id
}

// live reports whether the owner is at work, or was until a moment ago.
func (tn *tenant) live() bool { return len(tn.clients) > 0 || tn.Released.IsZero() }

// sorted are the owner's tabs in the order of their numbers.
func (tn *tenant) sortedTabs() []*Tab {
	all := make([]*Tab, 0, len(tn.tabs))
	for _, t := range tn.tabs {
		all = append(all, t)
	}
	slices.SortFunc(all, func(x, y *Tab) int { return cmp.Compare(x.Number, y.Number) })
	return all
}

func (tn *tenant) targets() []*target {
	var all []*target
	for _, tab := range tn.sortedTabs() {
		if tab.target != nil {
			all = append(all, tab.target)
		}
	}
	return all
}

// revive takes a client into its owner, whose pages wake up. One that comes after the
// end without a claim, as a connection that was on its way then, has it be nobody's.
func (m *Mux) addClient(c *client) {
	tn := c.tenant
	tn.clients = append(tn.clients, c)
	tn.connections++
	tn.Released, tn.Last = time.Time{}, m.now()
	if tn.Ended {
		tn.Agent = ""
	}
	for _, t := range tn.targets() {
		t.tab.Released = time.Time{}
		m.wake(t)
	}
}

// retire takes a client out of its owner. The last one's pages stay awake for a
// moment, in which a new one may come.
func (m *Mux) removeClient(c *client) {
	tn := c.tenant
	i := slices.Index(tn.clients, c)
	if i < 0 {
		return
	}
	tn.clients = slices.Delete(tn.clients, i, i+1)
	tn.Last = m.now()
	if len(tn.clients) > 0 {
		return
	}
	tn.connections++
	was := tn.connections
	m.after(m.Grace, func() {
		if tn.connections == was {
			m.release(tn)
			m.save()
		}
	})
}

// Depart takes the clients of a party out of their owner, which does not wait for them to
// come back: where they were its last ones, its tabs are left for review at once.
func (m *Mux) RemoveGroup(name, party string) {
	tn := m.tenants[name]
	if tn == nil {
		return
	}
	for _, c := range slices.Clone(tn.clients) {
		if party != "" && c.group == party {
			m.Leave(c.id)
			m.Transport.Cut(c.id, "its party has departed")
		}
	}
	if len(tn.clients) == 0 {
		tn.connections++
		m.release(tn)
		m.save()
	}
}

// rest marks the owner's tabs as left for review and lets its pages sleep, as they were
// before anybody drove them.
func (m *Mux) release(tn *tenant) {
	if !tn.Released.IsZero() {
		return
	}
	tn.Released = tn.Last
	for _, tab := range tn.sortedTabs() {
		if tab.Released.IsZero() {
			tab.Released = tn.Last
		}
		if tab.target != nil {
			m.sleep(tab.target)
			m.cleanup.start(tab.target)
		}
	}
}

// own gives a target to an owner and tells the owner's clients of it.
func (m *Mux) setOwner(t *target, tn *tenant) {
	if t.owner != nil {
		return
	}
	t.owner = tn
	if known := tn.tabs[t.TargetID]; known != nil {
		t.tab, known.target = known, t
		known.update(t.targetInfo)
	} else if t.Type == "page" {
		t.tab = &Tab{
			Number: tn.NextTab, Target: t.TargetID, Opened: m.now(), URL: t.URL, Title: t.Title, Opener: t.OpenerID, target: t,
		}
		if tn.hasContext(t.ContextID) {
			t.tab.Context = t.ContextID
		}
		tn.NextTab++
		tn.tabs[t.TargetID] = t.tab
		if tn.Active == "" {
			tn.Active = t.TargetID
		}
		if !tn.live() {
			t.tab.Released = m.now()
		}
	}
	m.save()
	m.sendDiscovery(tn, "Target.targetCreated", infoParams{t.raw})
	if m.External && t.session == "" && t.tab != nil {
		m.attach(t)
	}
	m.announce(t)
}

// lost takes a target from its owner: it is gone.
func (m *Mux) ownerLost(t *target) {
	if m.closing {
		return // its tabs are where they were
	}
	tn := t.owner
	for _, c := range tn.clients {
		for _, s := range c.browserSessions() {
			delete(s.announced, t.TargetID)
		}
	}
	if t.tab == nil {
		return
	}
	delete(tn.tabs, t.TargetID)
	delete(m.evicting, t.TargetID)
	if tn.Active == t.TargetID {
		tn.Active = tn.nextActive(t.tab)
	}
	m.save()
}

// successor is the tab that is active when a tab has gone: the one that opened
// it, else the newest.
func (tn *tenant) nextActive(gone *Tab) string {
	if tn.tabs[gone.Opener] != nil {
		return gone.Opener
	}
	if left := tn.sortedTabs(); len(left) > 0 {
		return left[len(left)-1].Target
	}
	return ""
}
