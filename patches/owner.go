package patches

import (
	"cmp"
	"slices"
	"time"
)

// owner is a session of abrowser: who targets belong to.
type owner struct {
	Owner
	clients   []*client
	tabs      map[string]*Tab // by target id
	reachable int             // counts connections, so that a late timer finds nothing to do
	clicked   time.Time       // until when a click that may open a tab is in flight
	told      int             // how often its clients were told of what a page did, see [tells]
	moved     bool            // see [Board.HasMoved]
	known     *face           // when that was asked; nil: not since a client came
	// makers are the clients that made the owner's own browser contexts.
	makers map[string]*client
	// secluded are called when an incognito owner has its context. Nil: nobody waits.
	secluded []func(error)
}

func (b *Board) ownerOf(name string) *owner {
	o := b.owners[name]
	if o == nil {
		now := b.opened()
		o = &owner{Owner: Owner{Name: name, NextTab: 1, Created: now, Last: now}, tabs: map[string]*Tab{}, makers: map[string]*client{}}
		b.owners[name] = o
	}
	return o
}

// private reports whether a browser context is not for a client: one that was
// there before its maker, and would take its pages for pages of the shared one.
func (o *owner) private(context string, c *client) bool {
	maker := o.makers[context]
	return maker != nil && !maker.gone && c.id < maker.id
}

// live reports whether the owner is at work, or was until a moment ago.
func (o *owner) live() bool { return len(o.clients) > 0 || o.Released.IsZero() }

// sorted are the owner's tabs in the order of their numbers.
func (o *owner) sorted() []*Tab {
	all := make([]*Tab, 0, len(o.tabs))
	for _, t := range o.tabs {
		all = append(all, t)
	}
	slices.SortFunc(all, func(x, y *Tab) int { return cmp.Compare(x.Number, y.Number) })
	return all
}

func (o *owner) targets() []*target {
	var all []*target
	for _, tab := range o.sorted() {
		if tab.target != nil {
			all = append(all, tab.target)
		}
	}
	return all
}

// revive takes a client into its owner, whose pages wake up. One that comes after the
// end without a claim, as a connection that was on its way then, has it be nobody's.
func (b *Board) revive(c *client) {
	o := c.owner
	o.clients = append(o.clients, c)
	o.reachable++
	o.Released, o.Last = time.Time{}, b.opened()
	if o.Ended {
		o.Agent = ""
	}
	for _, t := range o.targets() {
		t.tab.Released = time.Time{}
		b.wake(t)
	}
}

// retire takes a client out of its owner. The last one's pages stay awake for a
// moment, in which a new one may come.
func (b *Board) retire(c *client) {
	o := c.owner
	i := slices.Index(o.clients, c)
	if i < 0 {
		return
	}
	o.clients = slices.Delete(o.clients, i, i+1)
	o.Last = b.opened()
	if len(o.clients) > 0 {
		return
	}
	o.reachable++
	was := o.reachable
	b.after(b.Grace, func() {
		if o.reachable == was {
			b.rest(o)
			b.save()
		}
	})
}

// Depart takes the clients of a party out of their owner, which does not wait for them to
// come back: where they were its last ones, its tabs are left for review at once.
func (b *Board) Depart(name, party string) {
	o := b.owners[name]
	if o == nil {
		return
	}
	for _, c := range slices.Clone(o.clients) {
		if party != "" && c.party == party {
			b.Leave(c.id)
			b.Line.Cut(c.id, "its party has departed")
		}
	}
	if len(o.clients) == 0 {
		o.reachable++
		b.rest(o)
		b.save()
	}
}

// rest marks the owner's tabs as left for review and lets its pages sleep, as they were
// before anybody drove them.
func (b *Board) rest(o *owner) {
	if !o.Released.IsZero() {
		return
	}
	o.Released = o.Last
	for _, tab := range o.sorted() {
		if tab.Released.IsZero() {
			tab.Released = o.Last
		}
		if tab.target != nil {
			b.sleep(tab.target)
			b.farewell(tab.target)
		}
	}
}

// own gives a target to an owner and tells the owner's clients of it.
func (b *Board) own(t *target, o *owner) {
	if t.owner != nil {
		return
	}
	t.owner = o
	if known := o.tabs[t.TargetID]; known != nil {
		t.tab, known.target = known, t
		known.follow(t.targetInfo)
	} else if t.Type == "page" {
		t.tab = &Tab{
			Number: o.NextTab, Target: t.TargetID, Opened: b.opened(), URL: t.URL, Title: t.Title, Opener: t.OpenerID, target: t,
		}
		if o.hasContext(t.ContextID) {
			t.tab.Context = t.ContextID
		}
		o.NextTab++
		o.tabs[t.TargetID] = t.tab
		if o.Active == "" {
			o.Active = t.TargetID
		}
		if !o.live() {
			t.tab.Released = b.opened()
		}
	}
	b.save()
	b.discovered(o, "Target.targetCreated", infoParams{t.raw})
	if b.Foreign && t.hold == "" && t.tab != nil {
		b.hold(t)
	}
	b.announce(t)
}

// lost takes a target from its owner: it is gone.
func (b *Board) lost(t *target) {
	if b.closing {
		return // its tabs are where they were
	}
	o := t.owner
	for _, c := range o.clients {
		for _, s := range c.browsers() {
			delete(s.told, t.TargetID)
		}
	}
	if t.tab == nil {
		return
	}
	delete(o.tabs, t.TargetID)
	delete(b.evicted, t.TargetID)
	if o.Active == t.TargetID {
		o.Active = o.successor(t.tab)
	}
	b.save()
}

// successor is the tab that is active when a tab has gone: the one that opened
// it, else the newest.
func (o *owner) successor(gone *Tab) string {
	if o.tabs[gone.Opener] != nil {
		return gone.Opener
	}
	if left := o.sorted(); len(left) > 0 {
		return left[len(left)-1].Target
	}
	return ""
}
