package patches

import (
	"cmp"
	"slices"
	"time"
)

// State is what a Mux saves for a later Mux of the same browser. The JSON names belong to a
// file format, so they stay when a field is renamed.
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

// Tenant is a session of abrowser, the owner of targets.
type Tenant struct {
	Name     string    `json:"name"`
	NextTab  int       `json:"nextTab"`
	Active   string    `json:"active,omitzero"` // target id
	Created  time.Time `json:"created"`
	Last     time.Time `json:"last"`              // when a client last joined or left, or when the tenant was ended
	Released time.Time `json:"released,omitzero"` // the value of Last when the tenant was released; zero while it is live
	Ended    bool      `json:"ended,omitzero"`    // the tenant was ended, and no agent has claimed it since
	Agent    string    `json:"agent,omitzero"`    // the agent that uses the tenant; see [Mux.Claim]
	Contexts []string  `json:"contexts,omitzero"` // browser contexts that its clients created
	// Private is the browser context that an incognito tenant has instead of the shared
	// one. It is empty until the context has been created in the present browser.
	Incognito bool   `json:"incognito,omitzero"`
	Private   string `json:"private,omitzero"`
	Tabs      []Tab  `json:"tabs"`
	// Lost are the tabs that were open when the browser died and have not been reopened.
	Lost []Tab `json:"lost,omitzero"`
	// Reopened are the tabs that were opened again, until [Mux.ClearReopened].
	Reopened   []Reopened `json:"reopened,omitzero"`
	ReopenedAt time.Time  `json:"reopenedAt,omitzero"`
	// Downloads are the downloads that no client has fetched ([Mux.DownloadFetched]).
	Downloads    []Download `json:"downloads,omitzero"`
	LastDownload int        `json:"lastDownload,omitzero"` // the number of the newest download
}

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
	Context  string    `json:"context,omitzero"` // its browser context, if a client created it
	Pending  string    `json:"want,omitzero"`    // the URL at which it is being reopened; empty once it has navigated
	Loads    int       `json:"loads,omitzero"`   // reopenings since a browser last lived for [stableTime]
	Crashed  bool      `json:"crashed,omitzero"` // its renderer is gone

	target *target // nil until the browser has reported it to this Mux
}

// update sets URL and title from the page and reports whether they changed. A page
// that is being reopened keeps its intended URL until it has navigated.
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

// restore takes over the state of the previous Mux.
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

// dropMissingTabs drops the tabs that the browser did not report, and the spare page if it was
// not reported. They were closed while no Mux was running.
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
		for _, d := range m.downloads.of(tn) {
			saved.Downloads = append(saved.Downloads, d.Download)
		}
		s.Tenants = append(s.Tenants, saved)
	}
	return s
}

// save saves the state at once. Use it for changes that must be saved before the next message
// is sent. Until the browser's targets are known, it saves only a state that has a journal.
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

// saveDelay is how long [Mux.saveSoon] waits.
const saveDelay = 500 * time.Millisecond

// Died returns the state after the browser has died. It lists the tabs as lost, and
// [Mux.Reopen] opens them again. It has no CDP sessions, no spare page, no browser contexts
// and no incomplete downloads. Tabs in browser contexts that clients created are dropped.
func (s State) Died() State {
	var rest State
	for _, o := range s.Tenants {
		o.Contexts, o.Private = nil, ""
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

// Stopped returns the state after the browser was stopped. It has the tenants, all of them
// released, but no tabs and no downloads. The numbering of tabs and of downloads continues, so
// that no number is used again.
func (s State) Stopped() State {
	var rest State
	for _, o := range s.Tenants {
		o.Active, o.Contexts, o.Private, o.Lost, o.Tabs, o.Reopened, o.Downloads = "", nil, "", nil, nil, nil, nil
		if o.Released.IsZero() {
			o.Released = o.Last
		}
		rest.Tenants = append(rest.Tenants, o)
	}
	return rest
}
