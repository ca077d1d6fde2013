package patches

import (
	"cmp"
	"slices"
	"time"
)

// State is what a Board knows that a later Board of the same browser must know.
type State struct {
	Tenants []Tenant `json:"owners"`
	// Journal are the CDP sessions made on our own root, for clients and to hold pages
	// by. What a dead board left of them would go on to pause requests and dialogs.
	Journal []string   `json:"journal"`
	Opening *reopening `json:"opening,omitempty"`
	Spare   string     `json:"spare,omitzero"` // target id of the page that is nobody's yet
}

// Owner is a session of abrowser.
type Tenant struct {
	Name     string    `json:"name"`
	NextTab  int       `json:"nextTab"`
	Active   string    `json:"active,omitzero"` // target id
	Created  time.Time `json:"created"`
	Last     time.Time `json:"last"`              // of the last connection or release
	Released time.Time `json:"released,omitzero"` // when its session ended
	Ended    bool      `json:"ended,omitzero"`    // it was ended, and nobody has claimed it since
	Agent    string    `json:"agent,omitzero"`    // who the session belongs to; see [Board.Claim]
	Contexts []string  `json:"contexts,omitzero"` // its own browser contexts
	// Incognito sessions have the browser context Private for the shared one. It is
	// empty from the end of a browser until the session comes back.
	Incognito bool   `json:"incognito,omitzero"`
	Private   string `json:"private,omitzero"`
	Tabs      []Tab  `json:"tabs"`
	Lost      []Tab  `json:"lost,omitzero"` // open when their browser died, and not again yet
	// Reopened are the tabs that were opened again, until the owner has been told.
	Reopened   []Reopened `json:"reopened,omitzero"`
	ReopenedAt time.Time  `json:"reopenedAt,omitzero"`
	// Downloads are those that nobody has fetched yet.
	Downloads    []Download `json:"downloads,omitzero"`
	LastDownload int        `json:"lastDownload,omitzero"` // the newest one's number
}

// Reopened is a tab that was opened again since its browser had died.
type Reopened struct {
	Number int    `json:"number"`
	URL    string `json:"url"`             // where it had been
	Empty  bool   `json:"empty,omitempty"` // it is not there again: browsers died of it, or did not take it
}

// Tab is an owned page.
type Tab struct {
	Number   int       `json:"number"` // never given twice in a session
	Target   string    `json:"target"`
	Label    string    `json:"label,omitzero"`
	Opener   string    `json:"opener,omitzero"`
	URL      string    `json:"url"`
	Title    string    `json:"title"`
	Opened   time.Time `json:"opened"`
	Released time.Time `json:"released,omitzero"`
	Context  string    `json:"context,omitzero"` // the owner's own browser context that it is in
	Pending  string    `json:"want,omitzero"`    // where it is to be opened again; empty once it was somewhere
	Loads    int       `json:"loads,omitzero"`   // how often it was opened again, in browsers that did not live long
	Crashed  bool      `json:"crashed,omitzero"` // its renderer is gone

	target *target // nil after a restart, until the browser has named it
}

// follow takes over where a tab's page is, and reports whether that is news. A page
// that was opened again is, until it has loaded, where it is to go.
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

func (tn *tenant) hasContext(id string) bool { return slices.Contains(tn.Contexts, id) }

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

// forgetGone drops the tabs that the browser did not name: they were closed
// while no board was there.
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

// State returns what has to be saved.
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

// save puts the state on disk now: what is said next depends on it.
func (m *Mux) save() {
	m.dirty = false
	if m.ready || len(m.journal) > 0 {
		m.Transport.Save(m.State())
	}
}

// detach ends a CDP session of the journal.
func (m *Mux) detachSession(session string) {
	m.removeJournal(session)
	m.call("Target.detachFromTarget", encode(sessionParam{session}), "", nil)
}

// strike takes a session off the journal.
func (m *Mux) removeJournal(session string) {
	m.journal = slices.DeleteFunc(m.journal, func(s string) bool { return s == session })
}

// saveSoon saves what can wait: URLs and titles.
func (m *Mux) saveSoon() {
	if m.dirty {
		return
	}
	m.dirty = true
	m.after(saveDelay, m.Flush)
}

// Flush saves now what can otherwise wait.
func (m *Mux) Flush() {
	if m.dirty {
		m.save()
	}
}

const saveDelay = 500 * time.Millisecond

// Died is what stays of a state when its browser has died: all but the connections,
// the browser contexts with what was in them, and downloads that had not all come. [Board.Reopen] opens the tabs
// again.
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

// Stopped is what stays of a state when its browser was stopped: which sessions
// there were, and the numbers that they do not give again.
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
