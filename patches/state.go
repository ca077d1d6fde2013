package patches

import (
	"cmp"
	"slices"
	"time"
)

// State is what a Board knows that a later Board of the same browser must know.
type State struct {
	Owners []Owner `json:"owners"`
	// Journal are the CDP sessions made on our own root, for clients and to hold pages
	// by. What a dead board left of them would go on to pause requests and dialogs.
	Journal []string `json:"journal"`
	Opening *opening `json:"opening,omitempty"`
	Spare   string   `json:"spare,omitzero"` // target id of the page that is nobody's yet
}

// Owner is a session of abrowser.
type Owner struct {
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
	Want     string    `json:"want,omitzero"`    // where it is to be opened again; empty once it was somewhere
	Loads    int       `json:"loads,omitzero"`   // how often it was opened again, in browsers that did not live long
	Crashed  bool      `json:"crashed,omitzero"` // its renderer is gone

	target *target // nil after a restart, until the browser has named it
}

// follow takes over where a tab's page is, and reports whether that is news. A page
// that was opened again is, until it has loaded, where it is to go.
func (t *Tab) follow(page targetInfo) bool {
	if t.Want != "" && (page.URL == "" || page.URL == "about:blank") {
		return false
	}
	t.Want = ""
	if t.URL == page.URL && t.Title == page.Title {
		return false
	}
	t.URL, t.Title = page.URL, page.Title
	return true
}

func (o *owner) hasContext(id string) bool { return slices.Contains(o.Contexts, id) }

func (b *Board) restore(s State) {
	b.journal, b.opening = slices.Clone(s.Journal), s.Opening
	b.spare.target, b.spare.ready = s.Spare, s.Spare != ""
	for _, saved := range s.Owners {
		o := &owner{Owner: saved, tabs: map[string]*Tab{}, makers: map[string]*client{}}
		for _, tab := range saved.Tabs {
			o.tabs[tab.Target] = &tab
		}
		for _, kept := range saved.Downloads {
			d := &download{Download: kept, owner: o, told: map[*session]bool{}}
			b.downloads[d.GUID] = d
			if d.Handed {
				b.after(handedTime, func() { b.drop(d) })
			}
		}
		o.Tabs, o.Downloads = nil, nil
		b.owners[o.Name] = o
		if o.Released.IsZero() {
			b.after(b.Grace, func() {
				if o.reachable == 0 {
					b.rest(o)
					b.save()
				}
			})
		}
	}
}

// forgetGone drops the tabs that the browser did not name: they were closed
// while no board was there.
func (b *Board) forgetGone() {
	if b.targets[b.spare.target] == nil {
		b.spare = spare{}
	}
	for _, o := range b.owners {
		for id, tab := range o.tabs {
			if tab.target == nil {
				delete(o.tabs, id)
				if o.Active == id {
					o.Active = o.successor(tab)
				}
			}
		}
	}
}

// State returns what has to be saved.
func (b *Board) State() State {
	s := State{Owners: []Owner{}, Journal: slices.Clone(b.journal), Opening: b.opening, Spare: b.spare.target}
	for _, o := range b.sortedOwners() {
		saved := o.Owner
		saved.Tabs = []Tab{}
		for _, tab := range o.sorted() {
			saved.Tabs = append(saved.Tabs, *tab)
		}
		for _, d := range b.downloadsOf(o) {
			saved.Downloads = append(saved.Downloads, d.Download)
		}
		s.Owners = append(s.Owners, saved)
	}
	return s
}

// save puts the state on disk now: what is said next depends on it.
func (b *Board) save() {
	b.dirty = false
	if b.ready || len(b.journal) > 0 {
		b.Line.Save(b.State())
	}
}

// detach ends a CDP session of the journal.
func (b *Board) detach(session string) {
	b.strike(session)
	b.ask("Target.detachFromTarget", encode(sessionParam{session}), "", nil)
}

// strike takes a session off the journal.
func (b *Board) strike(session string) {
	b.journal = slices.DeleteFunc(b.journal, func(s string) bool { return s == session })
}

// saveSoon saves what can wait: URLs and titles.
func (b *Board) saveSoon() {
	if b.dirty {
		return
	}
	b.dirty = true
	b.after(saveDelay, b.Flush)
}

// Flush saves now what can otherwise wait.
func (b *Board) Flush() {
	if b.dirty {
		b.save()
	}
}

const saveDelay = 500 * time.Millisecond

// Died is what stays of a state when its browser has died: all but the connections,
// the browser contexts with what was in them, and downloads that had not all come. [Board.Reopen] opens the tabs
// again.
func (s State) Died() State {
	var rest State
	for _, o := range s.Owners {
		o.Contexts, o.Private = nil, ""
		tabs := slices.DeleteFunc(slices.Concat(o.Tabs, o.Lost), func(t Tab) bool { return t.Context != "" })
		slices.SortFunc(tabs, func(x, y Tab) int { return cmp.Compare(x.Number, y.Number) })
		for i := range tabs {
			tabs[i].Crashed = false // it will be opened again
		}
		o.Lost, o.Tabs = tabs, nil
		o.Downloads = slices.DeleteFunc(slices.Clone(o.Downloads), func(d Download) bool { return d.State != DownloadDone })
		rest.Owners = append(rest.Owners, o)
	}
	return rest
}

// Stopped is what stays of a state when its browser was stopped: which sessions
// there were, and the numbers that they do not give again.
func (s State) Stopped() State {
	var rest State
	for _, o := range s.Owners {
		o.Active, o.Contexts, o.Private, o.Lost, o.Tabs, o.Reopened, o.Downloads = "", nil, "", nil, nil, nil, nil
		if o.Released.IsZero() {
			o.Released = o.Last
		}
		rest.Owners = append(rest.Owners, o)
	}
	return rest
}
