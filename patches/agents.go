package patches

import (
	"cmp"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// Whoever drives an owner's targets, several owners may be one agent's. The Board
// keeps whose an owner is, and knows of an agent nothing but its name.

// Claim gives an owner to an agent if it is nobody's: new, ended, or without a
// connection for long, unless its agent lives. It returns whose the owner is then, and
// whether it was ended since anybody used it. Only looking, an agent gets nothing; an
// agent without a name only asks.
func (b *Board) Claim(name, agent string, looks bool) (holder string, ended bool) {
	o := b.owners[name]
	if o == nil {
		if agent == "" || looks {
			return "", false
		}
		o = b.ownerOf(name)
		o.Released = o.Created // until its first connection
	}
	ended = o.Ended
	switch {
	case agent == "" || o.Agent != "" && b.Held(name):
		return o.Agent, ended
	case looks:
		o.Agent = ""
	default:
		o.Agent = agent
	}
	o.Ended = false
	b.save()
	return o.Agent, ended
}

// Held reports whether an owner is somebody's, who may not be passed over: it is at
// work, or rests while its agent lives.
func (b *Board) Held(name string) bool {
	o := b.owners[name]
	return o != nil && (o.live() || !o.Ended && o.Agent != "" && b.Lives != nil && b.Lives(o.Agent))
}

// holder is the agent that an owner is of.
func (o *owner) holder() string { return cmp.Or(o.Agent, o.Name) }

// Extra is a tab of an owner at work, beyond its first.
type Extra struct {
	Agent, Owner string
	Target       string // empty for one that is being made
	Number       int
	Opened       time.Time
}

// Extras lists the extra tabs of all owners at work, the oldest first, with those
// that are being made and without those that are about to be closed.
func (b *Board) Extras() []Extra {
	making := map[*owner]int{}
	for _, o := range b.creates {
		making[o]++
	}
	var all []Extra
	for _, o := range b.sortedOwners() {
		if !o.live() {
			continue
		}
		var own []Extra
		for _, tab := range o.sorted() {
			if !b.evicted[tab.Target] {
				own = append(own, Extra{o.holder(), o.Name, tab.Target, tab.Number, tab.Opened})
			}
		}
		for range making[o] {
			own = append(own, Extra{Agent: o.holder(), Owner: o.Name, Number: o.NextTab, Opened: b.Clock()})
		}
		if len(own) > 1 {
			all = append(all, own[1:]...)
		}
	}
	slices.SortStableFunc(all, func(x, y Extra) int { return cmp.Or(x.Opened.Compare(y.Opened), cmp.Compare(x.Number, y.Number)) })
	return all
}

// First reports whether the next tab of an owner is not an extra one: it has none.
func (b *Board) First(name string) bool {
	o := b.owners[name]
	if o == nil {
		return true
	}
	for _, of := range b.creates {
		if of == o {
			return false
		}
	}
	return len(o.tabs) == 0
}

// HolderOf is the agent that an owner is of.
func (b *Board) HolderOf(name string) string {
	if o := b.owners[name]; o != nil {
		return o.holder()
	}
	return name
}

// makeRoom asks whether an owner may have one more tab. The function that it returns
// is called when there is one, or will not be.
func (b *Board) makeRoom(o *owner) (settle func(made bool), refusal *cdp.Error) {
	nothing := func(bool) {}
	if b.Admit == nil {
		return nothing, nil
	}
	evict, err := b.Admit(o.Name)
	switch {
	case err != nil:
		return nil, &cdp.Error{Code: -32000, Message: err.Error()}
	case evict == "":
		return nothing, nil
	}
	b.evicted[evict] = true
	return func(made bool) {
		if !made {
			delete(b.evicted, evict)
			return
		}
		b.ask("Target.closeTarget", encode(targetParam{evict}), "", nil)
	}, nil
}

// Evict closes an extra tab, which is no extra tab from now on. done is called when it
// is gone or limit has passed.
func (b *Board) Evict(target string, limit time.Duration, done func()) {
	b.evicted[target] = true
	b.closeAll([]string{target}, limit, func(int) { done() })
}

// Parting is what an agent's end was the end of.
type Parting struct {
	Owners  []string
	Resting []string // of these, those that had no client to hear of it
	Closed  int      // tabs
}

// Goodbye ends what an agent has: of its owners at work the extra tabs are closed and
// the others left, as by [Board.Release]; so are all tabs of those that rest. done is
// called when the tabs are gone or limit has passed.
func (b *Board) Goodbye(agent string, limit time.Duration, done func(Parting)) {
	var ids []string
	var p Parting
	for _, e := range b.Extras() {
		if e.Agent == agent && e.Target != "" {
			ids = append(ids, e.Target)
		}
	}
	for _, o := range b.sortedOwners() {
		if o.Agent != agent || o.Ended {
			continue
		}
		p.Owners = append(p.Owners, o.Name)
		if len(o.clients) == 0 {
			p.Resting = append(p.Resting, o.Name)
		}
	}
	waiting := 1 + len(p.Owners)
	told := func() {
		if waiting--; waiting == 0 {
			done(p)
		}
	}
	b.closeAll(ids, limit, func(closed int) { p.Closed = closed; told() })
	for _, name := range p.Owners {
		b.Release(name, false, limit, func(Ending) { told() })
	}
}
