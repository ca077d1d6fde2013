package patches

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// TenantInfo describes a tenant in a list. Pages has its tabs, including the lost ones, in
// the order of their numbers.
type TenantInfo struct {
	Tenant
	Live       bool
	Pages      []Tab
	PageEvents int // number of page events ([isPageEvent]) since the start of this Mux
	// FileChoosers is the number of events about file choosers since the start of this Mux. Each
	// client that intercepts a file chooser gets an event.
	FileChoosers int
	Clients      int // number of clients without a group, which are all but abrowser's daemon
}

// sortedTenants returns all tenants, sorted by name.
func (m *Mux) sortedTenants() []*tenant {
	all := make([]*tenant, 0, len(m.tenants))
	for _, tn := range m.tenants {
		all = append(all, tn)
	}
	slices.SortFunc(all, func(x, y *tenant) int { return cmp.Compare(x.Name, y.Name) })
	return all
}

// Tenants returns the tenants that are live or have tabs, sorted by name. Lost tabs count as
// tabs.
func (m *Mux) Tenants() []TenantInfo {
	var all []TenantInfo
	for _, tn := range m.sortedTenants() {
		if !tn.live() && len(tn.tabs) == 0 && len(tn.Lost) == 0 {
			continue
		}
		all = append(all, m.info(tn))
	}
	return all
}

// TenantNamed returns a list with the named tenant. The list is empty if the tenant does not
// exist, or is neither live nor has tabs.
func (m *Mux) TenantNamed(name string) []TenantInfo {
	tn := m.tenants[name]
	if tn == nil || !tn.live() && len(tn.tabs) == 0 && len(tn.Lost) == 0 {
		return nil
	}
	return []TenantInfo{m.info(tn)}
}

// info returns the description of a tenant. It omits tabs that are being closed to make
// room for others.
func (m *Mux) info(tn *tenant) TenantInfo {
	l := TenantInfo{Tenant: tn.Tenant, Live: tn.live(), Pages: slices.Clone(tn.Lost), PageEvents: tn.pageEvents, FileChoosers: tn.fileChoosers}
	for _, c := range tn.clients {
		if c.group == "" {
			l.Clients++
		}
	}
	for _, tab := range tn.sortedTabs() {
		if !m.evicting[tab.Target] {
			l.Pages = append(l.Pages, *tab)
		}
	}
	slices.SortFunc(l.Pages, func(x, y Tab) int { return cmp.Compare(x.Number, y.Number) })
	return l
}

// heapUsage is the result of Runtime.getHeapUsage, in bytes.
type heapUsage struct {
	UsedSize             float64 `json:"usedSize"`
	EmbedderHeapUsedSize float64 `json:"embedderHeapUsedSize"` // DOM objects
	BackingStorageSize   float64 `json:"backingStorageSize"`   // array buffers and strings outside of the heap
}

// Memory asks all tabs how many bytes their JavaScript and DOM objects take, and calls done() with
// the responses by target id. Tabs that do not respond within limit are left out.
func (m *Mux) Memory(limit time.Duration, done func(map[string]int64)) {
	used := map[string]int64{}
	waiting := 1
	ended := false
	finish := once(func() {
		ended = true
		done(used)
	})
	answered := func() {
		if waiting--; waiting == 0 {
			finish()
		}
	}
	for id, t := range m.targets {
		if t.tab == nil || t.session == "" || t.paused || t.tab.Crashed {
			continue
		}
		waiting++
		m.call("Runtime.getHeapUsage", nil, t.session, func(in cdp.Message) {
			var u heapUsage
			if in.Result(&u) == nil && !ended {
				used[id] = int64(u.UsedSize + u.EmbedderHeapUsedSize + u.BackingStorageSize)
			}
			answered()
		})
	}
	answered()
	m.after(limit, finish)
}

// Connected returns the number of tenants that have a client.
func (m *Mux) Connected() int {
	n := 0
	for _, tn := range m.tenants {
		if len(tn.clients) > 0 {
			n++
		}
	}
	return n
}

// UpdateTab changes a tab. If active is true, it makes the tab the tenant's active tab. If label is
// not nil, it sets the tab's label. It reports whether the tab belongs to the tenant.
func (m *Mux) UpdateTab(name, target string, active bool, label *string) bool {
	tn := m.tenants[name]
	if tn == nil || tn.tabs[target] == nil {
		return false
	}
	if active {
		tn.Active = target
	}
	if label != nil {
		tn.tabs[target].Label = *label
	}
	m.save()
	return true
}

// EndResult counts the tabs of an ended tenant. Discarded is the number of tabs that were
// closed together with the private context of an incognito tenant.
type EndResult struct{ Kept, Closed, Discarded int }

// End ends a tenant. It disconnects the tenant's clients, and disposes the browser contexts that
// the clients created, with the tabs in them. If closeTabs is true, End closes all other tabs and
// drops the tenant's downloads. Otherwise the other tabs stay open but are no longer kept awake
// ([Mux.sleep]). An incognito tenant is disposed with all its tabs in any case. End calls done()
// when the tabs to be closed are gone or limit has passed.
func (m *Mux) End(name string, closeTabs bool, limit time.Duration, done func(EndResult)) {
	tn := m.tenants[name]
	if tn == nil {
		done(EndResult{})
		return
	}
	for _, c := range slices.Clone(tn.clients) {
		m.Leave(c.id)
		m.Transport.Cut(c.id, "the session ended")
	}
	tn.connections++
	tn.Ended = true
	if tn.Incognito {
		m.disposeTenant(tn, limit, func(n int) { done(EndResult{Discarded: n}) })
		return
	}
	tn.Last = m.now()
	m.release(tn)
	contexts := tn.Contexts
	for _, id := range contexts {
		m.disposeContext(id)
	}
	var closing []string
	kept := 0
	if closeTabs {
		tn.Lost = nil
	}
	kept += len(tn.Lost)
	for _, tab := range tn.sortedTabs() {
		switch {
		case tab.target != nil && slices.Contains(contexts, tab.target.ContextID): // disposed with its context
		case closeTabs:
			closing = append(closing, tab.Target)
		default:
			kept++
		}
	}
	tn.Contexts = nil
	clear(tn.makers)
	if closeTabs {
		m.downloads.dropAll(tn)
	}
	m.save()
	m.closeAll(closing, limit, func(closed int) { done(EndResult{Kept: kept, Closed: closed}) })
}

// Keep sets whether [Mux.Prune] leaves a tab of a tenant open, and returns the tab's number. The tab
// is named by its number, as t2, by its label or by its target id. If there is no such tab, Keep
// returns 0.
func (m *Mux) Keep(name, tab string, kept bool) int {
	tn := m.tenants[name]
	if tn == nil {
		return 0
	}
	all := tn.sortedTabs()
	for i := range tn.Lost {
		all = append(all, &tn.Lost[i])
	}
	for _, t := range all {
		if tab == "t"+strconv.Itoa(t.Number) || tab == t.Target || tab == t.Label && tab != "" {
			t.Kept = kept
			m.save()
			return t.Number
		}
	}
	return 0
}

// Prunable returns the tabs that [Mux.Prune] would close or forget, by the name of their tenant.
func (m *Mux) Prunable(prefix string, minAge time.Duration) map[string][]Tab {
	gone := map[string][]Tab{}
	before := m.Clock().Add(-minAge)
	for _, tn := range m.released(prefix) {
		for _, tab := range tn.Lost {
			if tab.isPrunable(before) {
				gone[tn.Name] = append(gone[tn.Name], tab)
			}
		}
		for _, tab := range tn.sortedTabs() {
			if tab.isPrunable(before) {
				gone[tn.Name] = append(gone[tn.Name], *tab)
			}
		}
	}
	return gone
}

// isPrunable reports whether [Mux.Prune] closes a tab if that was released at the given time or before.
func (t *Tab) isPrunable(before time.Time) bool { return !t.Kept && !t.Released.After(before) }

// released returns the released tenants whose names have the prefix.
func (m *Mux) released(prefix string) []*tenant {
	return slices.DeleteFunc(m.sortedTenants(), func(tn *tenant) bool { return tn.live() || !strings.HasPrefix(tn.Name, prefix) })
}

// Prune cleans up after the released tenants whose names have the prefix. If a tab was released at
// least minAge ago and is not kept, Prune closes the tab, or forgets it if it is a lost tab. If a tenant was
// released at least minAge ago, Prune drops the tenant's downloads. If an incognito tenant then has
// no tab left, Prune disposes it. When the tabs are closed or limit has passed, Prune calls done()
// with the closed and forgotten tabs, by the name of their tenant.
func (m *Mux) Prune(prefix string, minAge, limit time.Duration, done func(map[string][]Tab)) {
	gone := m.Prunable(prefix, minAge)
	var ids []string
	before := m.Clock().Add(-minAge)
	for _, tn := range m.released(prefix) {
		tn.Lost = slices.DeleteFunc(tn.Lost, func(t Tab) bool { return t.isPrunable(before) })
		if !tn.Released.After(before) {
			m.downloads.dropAll(tn)
		}
		for _, tab := range gone[tn.Name] {
			if tn.tabs[tab.Target] != nil {
				ids = append(ids, tab.Target)
			}
		}
	}
	m.saveSoon()
	m.closeAll(ids, limit, func(int) {
		for name, tabs := range gone {
			gone[name] = slices.DeleteFunc(tabs, func(t Tab) bool { return m.targets[t.Target] != nil })
			if tn := m.tenants[name]; tn != nil && tn.Incognito && !tn.live() && len(tn.tabs) == 0 && len(tn.Lost) == 0 {
				m.disposeTenant(tn, limit, func(int) {})
			}
		}
		done(gone)
	})
}

// closeAll closes targets. When all of them are gone or limit has passed, it calls done() with the
// number of targets that are gone.
func (m *Mux) closeAll(ids []string, limit time.Duration, done func(closed int)) {
	m.awaitGone(ids, limit, done)
	for _, id := range ids {
		m.call("Target.closeTarget", encode(targetParam{id}), "", nil)
	}
}

// awaitGone calls done() when all targets are gone or limit has passed. The argument of done() is
// the number of targets that are gone. If ids is empty, awaitGone calls done() after a
// [Mux.Barrier].
func (m *Mux) awaitGone(ids []string, limit time.Duration, done func(gone int)) {
	if len(ids) == 0 {
		m.Barrier(limit, func() { done(0) })
		return
	}
	closed := func() (n int) {
		for _, id := range ids {
			if m.targets[id] == nil {
				n++
			}
		}
		return n
	}
	finish := once(func() { done(closed()) })
	m.goneWatches = append(m.goneWatches, func() bool {
		if closed() < len(ids) {
			return false
		}
		finish()
		return true
	})
	m.after(limit, finish)
}

type contextParam struct {
	ContextID string `json:"browserContextId"`
}

// InUse reports whether the browser has pages that must not be lost. These are the tabs of tenants
// and, in a browser that abrowser started, a person's pages. A person's empty pages and chrome://
// pages do not count.
func (m *Mux) InUse() bool {
	for _, tn := range m.tenants {
		if len(tn.tabs) > 0 || len(tn.Lost) > 0 {
			return true
		}
	}
	for _, t := range m.targets {
		if !m.External && t.owner == nil && t.Type == "page" && t.URL != "" && t.URL != "about:blank" && !strings.HasPrefix(t.URL, "chrome://") {
			return true
		}
	}
	return false
}
