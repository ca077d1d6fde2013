package patches

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Listed is an owner as others see it.
type Listed struct {
	Owner
	Live  bool
	Pages []Tab
	Told  int // how often its clients were told of what a page did: navigated, asked something
}

func (b *Board) sortedOwners() []*owner {
	all := make([]*owner, 0, len(b.owners))
	for _, o := range b.owners {
		all = append(all, o)
	}
	slices.SortFunc(all, func(x, y *owner) int { return cmp.Compare(x.Name, y.Name) })
	return all
}

// Owners lists the owners that are live or have tabs, by name. Tabs that are lost
// and about to be opened again are among them.
func (b *Board) Owners() []Listed {
	var all []Listed
	for _, o := range b.sortedOwners() {
		if !o.live() && len(o.tabs) == 0 && len(o.Lost) == 0 {
			continue
		}
		all = append(all, b.listed(o))
	}
	return all
}

// OwnersNamed is [Board.Owners] for one: a list of none or that one.
func (b *Board) OwnersNamed(name string) []Listed {
	o := b.owners[name]
	if o == nil || !o.live() && len(o.tabs) == 0 && len(o.Lost) == 0 {
		return nil
	}
	return []Listed{b.listed(o)}
}

func (b *Board) listed(o *owner) Listed {
	l := Listed{Owner: o.Owner, Live: o.live(), Pages: slices.Clone(o.Lost), Told: o.told}
	for _, tab := range o.sorted() {
		if !b.evicted[tab.Target] { // it is as good as closed
			l.Pages = append(l.Pages, *tab)
		}
	}
	slices.SortFunc(l.Pages, func(x, y Tab) int { return cmp.Compare(x.Number, y.Number) })
	return l
}

// Connected returns how many owners have a connection.
func (b *Board) Connected() int {
	n := 0
	for _, o := range b.owners {
		if len(o.clients) > 0 {
			n++
		}
	}
	return n
}

// Note keeps what a session's daemon says of its tab, and reports whether the
// tab is the session's. A nil label leaves the label alone.
func (b *Board) Note(name, target string, active bool, label *string) bool {
	o := b.owners[name]
	if o == nil || o.tabs[target] == nil {
		return false
	}
	if active {
		o.Active = target
	}
	if label != nil {
		o.tabs[target].Label = *label
	}
	b.save()
	return true
}

// Ending is what became of the tabs of a session that ended, in numbers.
type Ending struct{ Kept, Closed, Discarded int }

// Release ends a session: its clients are cut, its own browser contexts are
// disposed, its tabs stay and may sleep, or are closed. Those of an incognito
// session are discarded. done is called when that is so or limit has passed.
func (b *Board) Release(name string, page bool, limit time.Duration, done func(Ending)) {
	o := b.owners[name]
	if o == nil {
		done(Ending{})
		return
	}
	for _, c := range slices.Clone(o.clients) {
		b.Leave(c.id)
		b.Line.Cut(c.id, "the session ended")
	}
	o.reachable++
	o.Ended = true
	if o.Incognito {
		b.dissolve(o, limit, func(n int) { done(Ending{Discarded: n}) })
		return
	}
	o.Last = b.opened()
	b.rest(o)
	contexts := o.Contexts
	for _, id := range contexts {
		b.dispose(id)
	}
	var closing []string
	kept := 0
	if page {
		o.Lost = nil
	}
	kept += len(o.Lost)
	for _, tab := range o.sorted() {
		switch {
		case tab.target != nil && slices.Contains(contexts, tab.target.ContextID): // goes with its context
		case page:
			closing = append(closing, tab.Target)
		default:
			kept++
		}
	}
	o.Contexts = nil
	clear(o.makers)
	if page {
		b.dropDownloads(o)
	}
	b.save()
	b.closeAll(closing, limit, func(closed int) { done(Ending{Kept: kept, Closed: closed}) })
}

// Prune closes tabs of sessions that ended: of those whose name has the prefix
// and whose release is older than age; their downloads go, too. done gets the tabs, by their owner.
func (b *Board) Prune(prefix string, age, limit time.Duration, done func(map[string][]Tab)) {
	gone := map[string][]Tab{}
	var ids []string
	before := b.Clock().Add(-age)
	for _, o := range b.sortedOwners() {
		if o.live() || !strings.HasPrefix(o.Name, prefix) {
			continue
		}
		old := func(t Tab) bool { return !t.Released.After(before) }
		for _, tab := range o.Lost {
			if old(tab) {
				gone[o.Name] = append(gone[o.Name], tab)
			}
		}
		o.Lost = slices.DeleteFunc(o.Lost, old)
		if !o.Released.After(before) {
			b.dropDownloads(o)
		}
		for _, tab := range o.sorted() {
			if old(*tab) {
				gone[o.Name] = append(gone[o.Name], *tab)
				ids = append(ids, tab.Target)
			}
		}
	}
	b.saveSoon()
	b.closeAll(ids, limit, func(int) {
		for name, tabs := range gone {
			gone[name] = slices.DeleteFunc(tabs, func(t Tab) bool { return b.targets[t.Target] != nil })
			if o := b.owners[name]; o != nil && o.Incognito && !o.live() && len(o.tabs) == 0 && len(o.Lost) == 0 {
				b.dissolve(o, limit, func(int) {})
			}
		}
		done(gone)
	})
}

// closeAll closes targets and waits until they are gone, or limit has passed.
func (b *Board) closeAll(ids []string, limit time.Duration, done func(closed int)) {
	b.awaitGone(ids, limit, done)
	for _, id := range ids {
		b.ask("Target.closeTarget", encode(targetParam{id}), "", nil)
	}
}

// awaitGone waits until targets are gone, or limit has passed.
func (b *Board) awaitGone(ids []string, limit time.Duration, done func(gone int)) {
	if len(ids) == 0 {
		b.Barrier(limit, func() { done(0) })
		return
	}
	closed := func() (n int) {
		for _, id := range ids {
			if b.targets[id] == nil {
				n++
			}
		}
		return n
	}
	finish := once(func() { done(closed()) })
	b.watches = append(b.watches, func() bool {
		if closed() < len(ids) {
			return false
		}
		finish()
		return true
	})
	b.after(limit, finish)
}

type contextParam struct {
	ContextID string `json:"browserContextId"`
}

// Used reports whether the browser holds pages that are worth something: owners'
// tabs, or a person's in a browser that is ours to stop.
func (b *Board) Used() bool {
	for _, o := range b.owners {
		if len(o.tabs) > 0 || len(o.Lost) > 0 {
			return true
		}
	}
	for _, t := range b.targets {
		if !b.Foreign && t.owner == nil && t.Type == "page" && t.URL != "" && t.URL != "about:blank" && !strings.HasPrefix(t.URL, "chrome://") {
			return true
		}
	}
	return false
}
