package patches

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// tenant is a session of abrowser with its connections and tabs.
type tenant struct {
	Tenant
	clients []*client
	tabs    map[string]*Tab // by target id
	// connections is a counter. It increases when a client connects, when the last client leaves,
	// and in the methods End and RemoveGroup. If it has increased since the timer for a release was
	// set, this timer does nothing.
	connections  int
	popupUntil   time.Time // until this time, a new tab without an opener may result from a click
	pageEvents   int       // number of events for which [isPageEvent] is true
	fileChoosers int       // see [TenantInfo.FileChoosers]
	activity     bool      // see [Mux.TakeActivity]
	lastSummary  *summary  // recorded by the last TakeActivity; nil after a client has joined
	// makers has the connected clients that created browser contexts, by the id of the context.
	makers map[string]*client
	// whenPrivate has functions to call when the creation of the private context has succeeded or
	// failed.
	whenPrivate []func(error)
}

// tenantFor returns the named tenant, and creates it if it does not exist.
func (m *Mux) tenantFor(name string) *tenant {
	tn := m.tenants[name]
	if tn == nil {
		now := m.now()
		tn = &tenant{Tenant: Tenant{Name: name, NextTab: 1, Created: now, Last: now}, tabs: map[string]*Tab{}, makers: map[string]*client{}}
		m.tenants[name] = tn
	}
	return tn
}

// hidesContext reports whether a browser context is hidden from a client. A context that
// a client created is hidden from the tenant's older clients until its creator leaves,
// because their Playwright would take the context's pages for pages of the shared context.
func (tn *tenant) hidesContext(context string, c *client) bool {
	maker := tn.makers[context]
	return maker != nil && !maker.gone && c.id < maker.id
}

// live reports whether the tenant has a client or has not been released.
func (tn *tenant) live() bool { return len(tn.clients) > 0 || tn.Released.IsZero() }

// sortedTabs returns the tenant's tabs in the order of their numbers.
func (tn *tenant) sortedTabs() []*Tab {
	all := make([]*Tab, 0, len(tn.tabs))
	for _, t := range tn.tabs {
		all = append(all, t)
	}
	slices.SortFunc(all, func(x, y *Tab) int { return cmp.Compare(x.Number, y.Number) })
	return all
}

// targets returns the targets of the tenant's tabs in the order of their numbers.
func (tn *tenant) targets() []*target {
	var all []*target
	for _, tab := range tn.sortedTabs() {
		if tab.target != nil {
			all = append(all, tab.target)
		}
	}
	return all
}

// addClient adds a client to its tenant and wakes the tenant's pages. If the tenant was ended and
// no agent has claimed it since, addClient removes the tenant's agent. A tenant is in this state if
// it was ended while the client was connecting.
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

// removeClient removes a client from its tenant. If the tenant then has no client, and none
// connects within [Options.Grace], the tenant is released.
func (m *Mux) removeClient(c *client) {
	tn := c.tenant
	if i := slices.Index(tn.clients, c); i >= 0 { // otherwise the client never got its root session
		tn.clients = slices.Delete(tn.clients, i, i+1)
		tn.Last = m.now()
	}
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

// RemoveGroup disconnects the tenant's clients that joined with the given group (see
// [Mux.Join]). If the tenant then has no client, it is released at once instead of after
// [Options.Grace].
func (m *Mux) RemoveGroup(name, group string) {
	tn := m.tenants[name]
	if tn == nil {
		return
	}
	for _, c := range slices.Clone(tn.clients) {
		if group != "" && c.group == group {
			m.Leave(c.id)
			m.Transport.Cut(c.id, "the client's group was removed")
		}
	}
	if len(tn.clients) == 0 {
		tn.connections++
		m.release(tn)
		m.save()
	}
}

// release marks the tenant and its tabs as released. From then on the Mux no longer keeps the pages
// awake. release also removes from the pages what clients left there (see [cleanup]), and calls
// forgetTenants. If the tenant is already released, release does nothing.
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
	m.forgetTenants()
}

// These are the times after which a tenant that has nothing left is forgotten. A tenant that was only
// released stays longer, because the numbers of its tabs must not be used again while its task may
// still go on. An ended tenant stays until its daemon has certainly asked whether it was ended.
const (
	forgetAfter      = 24 * time.Hour   // from its release
	forgetEndedAfter = 10 * time.Minute // from its end
)

// forgetTenants forgets the tenants that are not in use, were ended or released long ago, and have
// nothing left: no tab, no download, no browser context. Incognito tenants are forgotten when they
// are ended or pruned ([Mux.disposeTenant]). Each save of the state takes time for each tenant, so
// without forgetTenants the broker would become slower with each task.
func (m *Mux) forgetTenants() {
	now := m.now()
	joining := map[*tenant]bool{}
	for _, c := range m.clients {
		joining[c.tenant] = true
	}
	maps.DeleteFunc(m.tenants, func(name string, tn *tenant) bool {
		isOld := now.Sub(tn.Released) > forgetAfter || tn.Ended && now.Sub(tn.Last) > forgetEndedAfter
		return isOld && !m.Claimed(name) && !joining[tn] && m.HasNoTab(name) && len(tn.Lost) == 0 &&
			len(tn.Contexts) == 0 && !tn.Incognito && len(m.downloads.ofTenant(tn)) == 0
	})
}

// setOwner makes a tenant the owner of an unowned target, and announces the target to the
// tenant's clients. A page becomes a tab of the tenant.
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

// ownerLost removes a target from the records of its owner after the target has ended.
func (m *Mux) ownerLost(t *target) {
	if m.closing {
		return // the saved state keeps these tabs, see [Mux.BrowserClosing]
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

// nextActive returns the target id of the tab that becomes active after closedTab was closed. This
// is the opener of closedTab if the opener is still open, or else the newest tab. The result is
// empty if no tab is left.
func (tn *tenant) nextActive(closedTab *Tab) string {
	if tn.tabs[closedTab.Opener] != nil {
		return closedTab.Opener
	}
	if left := tn.sortedTabs(); len(left) > 0 {
		return left[len(left)-1].Target
	}
	return ""
}
