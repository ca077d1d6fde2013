package patches

import (
	"slices"
	"time"
)

// State is what a Board knows that a later Board of the same browser must know.
type State struct {
	Owners []Owner `json:"owners"`
	// Journal are the browser-level CDP sessions made for clients. What a dead
	// board left of them would go on to pause requests and dialogs.
	Journal []string `json:"journal"`
}

// Owner is a session of abrowser.
type Owner struct {
	Name     string    `json:"name"`
	NextTab  int       `json:"nextTab"`
	Active   string    `json:"active,omitzero"` // target id
	Created  time.Time `json:"created"`
	Last     time.Time `json:"last"`              // of the last connection or release
	Released time.Time `json:"released,omitzero"` // when its session ended
	Contexts []string  `json:"contexts,omitzero"` // its own browser contexts
	Tabs     []Tab     `json:"tabs"`
	Lost     []Tab     `json:"lost,omitzero"` // open when their browser ended
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

	target *target // nil after a restart, until the browser has named it
}

func (o *owner) hasContext(id string) bool { return slices.Contains(o.Contexts, id) }

func (b *Board) restore(s State) {
	b.journal = slices.Clone(s.Journal)
	for _, saved := range s.Owners {
		o := &owner{Owner: saved, tabs: map[string]*Tab{}, makers: map[string]*client{}}
		for _, tab := range saved.Tabs {
			o.tabs[tab.Target] = &tab
		}
		o.Tabs = nil
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
	s := State{Owners: []Owner{}, Journal: slices.Clone(b.journal)}
	for _, o := range b.sortedOwners() {
		saved := o.Owner
		saved.Tabs = []Tab{}
		for _, tab := range o.sorted() {
			saved.Tabs = append(saved.Tabs, *tab)
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

// saveSoon saves what can wait: URLs and titles.
func (b *Board) saveSoon() {
	if b.dirty {
		return
	}
	b.dirty = true
	b.after(saveDelay, func() {
		if b.dirty {
			b.save()
		}
	})
}

const saveDelay = 500 * time.Millisecond

// Closed is what stays of a state when its browser has ended: which sessions
// there were, and the numbers that they do not give again.
func (s State) Closed() State {
	var rest State
	for _, o := range s.Owners {
		o.Active, o.Contexts = "", nil
		o.Lost, o.Tabs = o.Tabs, nil
		if o.Released.IsZero() {
			o.Released = o.Last
		}
		rest.Owners = append(rest.Owners, o)
	}
	return rest
}
