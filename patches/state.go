package patches

import (
	"cmp"
	"slices"
	"time"
)

// State is what a Mux saves for a later Mux of the same browser. The JSON names are part of the
// format of a saved file, so they stay the same when a field is renamed.
type State struct {
	Tenants []Tenant `json:"owners"`
	// Journal lists the ids of the CDP sessions that the next Mux has to detach. They are the
	// clients' root sessions, the sessions that were handed off to clients, and most of the
	// Mux's own sessions on targets. They outlive a Mux that dies. Until they are detached,
	// they can block requests and dialogs of the pages.
	Journal []string   `json:"journal"`
	Opening *reopening `json:"opening,omitempty"`
	Spare   string     `json:"spare,omitzero"` // target id of the spare page
}

// Tenant is a session of abrowser, the owner of targets. Some time after a tenant was ended or
// released, it is forgotten if it has nothing left ([Mux.forgetTenants]).
type Tenant struct {
	Name    string    `json:"name"`
	NextTab int       `json:"nextTab"`
	Active  string    `json:"active,omitzero"` // target id
	Created time.Time `json:"created"`
	// Last is when a client last joined or left, when a client without a group last sent a message,
	// or when the tenant was ended, whichever was latest.
	Last     time.Time `json:"last"`
	Released time.Time `json:"released,omitzero"` // the value of Last when the tenant was released; zero while it is live
	Ended    bool      `json:"ended,omitzero"`    // the tenant was ended, and no agent has claimed it since
	Agent    string    `json:"agent,omitzero"`    // the agent that uses the tenant; see [Mux.Claim]
	Outcome  *Outcome  `json:"outcome,omitempty"` // as the tenant's task has reported it; nil if it has not
	Command  *Command  `json:"command,omitempty"` // the last command; nil if none was reported
	Contexts []string  `json:"contexts,omitzero"` // browser contexts that its clients created
	// Private is the browser context that an incognito tenant has instead of the shared context. It
	// is empty until the context has been created in the present browser.
	Incognito bool   `json:"incognito,omitzero"`
	Private   string `json:"private,omitzero"`
	// Filter is the proxy that the private context and all other contexts of the tenant use. It is
	// the zero value if they reach the network directly.
	Filter Filter `json:"filter,omitzero"`
	Tabs   []Tab  `json:"tabs"`
	// Lost lists the tabs that were open when the browser died and that have not been reopened.
	Lost []Tab `json:"lost,omitzero"`
	// Reopened lists the tabs that were opened again. [Mux.ClearReopened] clears the list.
	Reopened   []Reopened `json:"reopened,omitzero"`
	ReopenedAt time.Time  `json:"reopenedAt,omitzero"`
	// Downloads lists the downloads that no client has fetched ([Mux.DownloadFetched]).
	Downloads    []Download `json:"downloads,omitzero"`
	LastDownload int        `json:"lastDownload,omitzero"` // the number of the newest download
}

// Outcome is how a task has ended, as the task itself has reported it.
type Outcome struct {
	Status string    `json:"status"`
	Note   string    `json:"note,omitzero"`
	At     time.Time `json:"at"`
}

// Command is a command that has ended.
type Command struct {
	Verb string    `json:"verb"`
	Code string    `json:"code,omitzero"` // why it failed; empty if it did not
	At   time.Time `json:"at"`            // when it ended
	MS   int64     `json:"ms"`            // how long it took, in milliseconds
}

// Filter is a proxy that passes requests to some domains only.
type Filter struct {
	Domains []string `json:"domains"`
	Address string   `json:"address,omitzero"` // empty if the proxy is not running
}

// IsZero reports whether f has no domains, which means that requests are not filtered.
func (f Filter) IsZero() bool { return len(f.Domains) == 0 }

// Reopened is a tab that was opened again after its browser had died.
type Reopened struct {
	Number int    `json:"number"`
	URL    string `json:"url"` // its URL before the browser died
	// Empty is set if the tab was opened as an empty page and not at URL. This happens if the
	// browser refused the URL, or if the URL was loaded [maxLoads] times in browsers that died.
	Empty bool `json:"empty,omitempty"`
}

// Tab is a page of a tenant.
type Tab struct {
	Number   int       `json:"number"` // never reused in a session
	Target   string    `json:"target"`
	Label    string    `json:"label,omitzero"`
	Opener   string    `json:"opener,omitzero"`
	URL      string    `json:"url"`
	Title    string    `json:"title"`
	Opened   time.Time `json:"opened"`
	Released time.Time `json:"released,omitzero"`
	// Context is the tab's browser context if a client created this context. Otherwise it is empty.
	Context string `json:"context,omitzero"`
	// Pending is the URL at which the tab is being reopened. It is empty after the tab has navigated.
	Pending string `json:"want,omitzero"`
	// Loads is how often the tab was reopened since a browser last lived for [stableTime].
	Loads   int  `json:"loads,omitzero"`
	Crashed bool `json:"crashed,omitzero"` // the tab's renderer process is gone
	Kept    bool `json:"kept,omitzero"`    // [Mux.Prune] does not close the tab

	target *target // the tab's page; nil until the browser has reported the page to this Mux
}

// update sets the tab's URL and title to those of the page, and reports whether they changed. A tab
// that is being reopened keeps its URL until the page has navigated there.
func (t *Tab) update(page targetInfo) bool {
	if t.Pending != "" && (page.URL == "" || page.URL == "about:blank") {
		return false
	}
	t.Pending = ""
	if t.URL == page.URL && t.Title == page.Title {
		return false
	}
	t.URL, t.Title = page.URL, page.Title
	return true
}

// hasContext reports whether id is a browser context that a client of the tenant created.
func (tn *tenant) hasContext(id string) bool { return slices.Contains(tn.Contexts, id) }

// restore sets the Mux's records to the state s that the previous Mux saved.
func (m *Mux) restore(s State) {
	m.journal, m.reopening = slices.Clone(s.Journal), s.Opening
	m.spare.target, m.spare.ready = s.Spare, s.Spare != ""
	for _, saved := range s.Tenants {
		tn := &tenant{Tenant: saved, tabs: map[string]*Tab{}, makers: map[string]*client{}}
		for _, tab := range saved.Tabs {
			tn.tabs[tab.Target] = &tab
		}
		for _, kept := range saved.Downloads {
			d := &download{Download: kept, owner: tn, announced: map[*session]bool{}}
			m.downloads.byGUID[d.GUID] = d
			if d.Delivered {
				m.after(deliveredTime, func() { m.downloads.drop(d) })
			}
		}
		tn.Tabs, tn.Downloads = nil, nil
		m.tenants[tn.Name] = tn
		if tn.Released.IsZero() {
			m.after(m.Grace, func() {
				if tn.connections == 0 {
					m.release(tn)
					m.save()
				}
			})
		}
	}
}

// dropMissingTabs drops the tabs that the browser did not report, and the spare page if the browser
// did not report it. These pages were closed while no Mux was running.
func (m *Mux) dropMissingTabs() {
	if m.targets[m.spare.target] == nil {
		m.spare = sparePage{m: m}
	}
	for _, tn := range m.tenants {
		for id, tab := range tn.tabs {
			if tab.target == nil {
				delete(tn.tabs, id)
				if tn.Active == id {
					tn.Active = tn.nextActive(tab)
				}
			}
		}
	}
}

// State returns the present state.
func (m *Mux) State() State {
	s := State{Tenants: []Tenant{}, Journal: slices.Clone(m.journal), Opening: m.reopening, Spare: m.spare.target}
	for _, tn := range m.sortedTenants() {
		saved := tn.Tenant
		saved.Tabs = []Tab{}
		for _, tab := range tn.sortedTabs() {
			saved.Tabs = append(saved.Tabs, *tab)
		}
		for _, d := range m.downloads.ofTenant(tn) {
			saved.Downloads = append(saved.Downloads, d.Download)
		}
		s.Tenants = append(s.Tenants, saved)
	}
	return s
}

// save saves the state at once. Use it for changes that must be saved before the next message is
// sent. Until the browser's targets are known, save does nothing unless the journal has a session.
func (m *Mux) save() {
	m.dirty = false
	if m.ready || len(m.journal) > 0 {
		m.Transport.Save(m.State())
	}
}

// detachSession detaches a CDP session and removes it from the journal.
func (m *Mux) detachSession(session string) {
	m.removeJournal(session)
	m.call("Target.detachFromTarget", encode(sessionParam{session}), "", nil)
}

// removeJournal removes a session from the journal.
func (m *Mux) removeJournal(session string) {
	m.journal = slices.DeleteFunc(m.journal, func(s string) bool { return s == session })
}

// saveSoon saves the state within saveDelay. Use it for changes that may be lost, such as
// changes of URLs and titles.
func (m *Mux) saveSoon() {
	if m.dirty {
		return
	}
	m.dirty = true
	m.after(saveDelay, m.Flush)
}

// Flush saves changes whose save is delayed.
func (m *Mux) Flush() {
	if m.dirty {
		m.save()
	}
}

// saveDelay is how long [Mux.saveSoon] waits before it saves the state.
const saveDelay = 500 * time.Millisecond

// Died returns the state after the browser has died. In the new state, all tabs are lost, and
// [Mux.Reopen] opens them again. Tabs in browser contexts that clients created are dropped. The new
// state has no CDP sessions, no spare page, no browser contexts and no incomplete downloads.
func (s State) Died() State {
	var rest State
	for _, o := range s.Tenants {
		o.Contexts, o.Private, o.Filter.Address = nil, "", ""
		tabs := slices.DeleteFunc(slices.Concat(o.Tabs, o.Lost), func(t Tab) bool { return t.Context != "" })
		slices.SortFunc(tabs, func(x, y Tab) int { return cmp.Compare(x.Number, y.Number) })
		for i := range tabs {
			tabs[i].Crashed = false // it will be opened again
		}
		o.Lost, o.Tabs = tabs, nil
		o.Downloads = slices.DeleteFunc(slices.Clone(o.Downloads), func(d Download) bool { return d.State != DownloadDone })
		rest.Tenants = append(rest.Tenants, o)
	}
	return rest
}

// Stopped returns the state after the browser was stopped. The new state has the same tenants, all
// of them released, but no tabs and no downloads. The numbering of tabs and of downloads continues,
// so that no number is used again.
func (s State) Stopped() State {
	var rest State
	for _, o := range s.Tenants {
		o.Active, o.Contexts, o.Private, o.Lost, o.Tabs, o.Reopened, o.Downloads = "", nil, "", nil, nil, nil, nil
		o.Filter.Address = ""
		if o.Released.IsZero() {
			o.Released = o.Last
		}
		rest.Tenants = append(rest.Tenants, o)
	}
	return rest
}
