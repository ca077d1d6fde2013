package patches

import (
	"cmp"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// A browser that died took its pages along. What was in them is gone; where they
// were is on disk, and the next browser opens them there again, for the same
// owners and under the same numbers.

// maxLoads is how often a page is loaded again in browsers that die of it, or
// beside it. After that it is opened empty: one page must not keep the browser
// from ever coming up.
const maxLoads = 3

// wellTime is how long a browser lives before its death is not blamed on what
// was opened in it.
const wellTime = 10 * time.Second

// opening is a lost tab on its way. It is on disk before the browser is asked for
// the page, so that a board that comes in between finds the page and makes no
// second one.
type opening struct {
	Owner  string   `json:"owner"`
	Number int      `json:"number"`
	Before []string `json:"before"` // the pages that nobody owned
}

// Reopen opens the lost tabs one after the other, those of sessions at work first.
// done is called when all are there that can be had.
func (b *Board) Reopen(done func()) {
	b.adoptOpening()
	b.after(wellTime-b.Clock().Sub(b.Began), func() { // whatever became of our predecessors

		for _, o := range b.owners {
			for _, tab := range o.tabs {
				tab.Loads = 0
			}
		}
		b.saveSoon()
	})
	owners := b.sortedOwners()
	slices.SortStableFunc(owners, func(x, y *owner) int { return cmp.Compare(resting(x), resting(y)) })
	b.reopenNext(owners, done)
}

func resting(o *owner) int {
	if o.Released.IsZero() {
		return 0
	}
	return 1
}

// reopenNext opens the first lost tab of the first owner that has one.
func (b *Board) reopenNext(owners []*owner, done func()) {
	for len(owners) > 0 && len(owners[0].Lost) == 0 {
		owners = owners[1:]
	}
	if len(owners) == 0 {
		done()
		return
	}
	o := owners[0]
	tab := &o.Lost[0]
	to := tab.address()
	tab.Loads++
	b.opening = &opening{Owner: o.Name, Number: tab.Number, Before: b.strays()}
	b.save()
	reopened := func(ok bool) {
		b.opening = nil
		if ok {
			b.dropFirstPage()
		} else { // it stays lost: this browser is about to go as well
			owners = owners[1:]
		}
		b.save()
		b.reopenNext(owners, done)
	}
	if !o.Incognito {
		b.reopenAt(o, to, reopened)
		return
	}
	b.seclude(o, func(err error) { // its context went with the browser, logins and all
		if err != nil {
			reopened(false)
			return
		}
		b.reopenAt(o, to, reopened)
	})
}

// address is where a lost tab is opened.
func (t *Tab) address() string {
	if t.URL == "" || t.Loads >= maxLoads {
		return "about:blank"
	}
	return t.URL
}

// reopenAt opens the owner's first lost tab, empty where the browser does not
// take its address.
func (b *Board) reopenAt(o *owner, to string, then func(ok bool)) {
	id := b.nextID()
	b.creates[id] = o
	b.calls[id] = call{then: func(in cdp.Message) {
		var out targetParam
		err := in.Result(&out)
		if err != nil {
			delete(b.creates, id)
			b.decideLeft()
			b.Log.Warn("opening a lost tab again", "owner", o.Name, "error", err)
			if to == "about:blank" {
				then(false)
				return
			}
			b.reopenAt(o, "about:blank", then)
			return
		}
		b.found(o, out.TargetID, to)
		b.created(id, o, out.TargetID)
		then(true)
	}}
	home := b.home(o)
	b.send(id, "Target.createTarget", encode(createParams{to, true, home, home != b.shared && !b.hasWindow(home)}), "")
}

type createParams struct {
	URL        string `json:"url"`
	Background bool   `json:"background"`
	ContextID  string `json:"browserContextId,omitempty"`
	NewWindow  bool   `json:"newWindow,omitempty"`
}

// reopens reports whether a target in an incognito owner's context may be the lost
// tab that is on its way: the browser's reply names it.
func (b *Board) reopens(t *target, o *owner) bool {
	return b.opening != nil && b.opening.Owner == o.Name && o.tabs[t.TargetID] == nil && t.Type == "page" && t.OpenerID == "" && t.ContextID == o.Private
}

// found gives the owner's first lost tab the target that stands for it now.
func (b *Board) found(o *owner, target, at string) {
	tab := o.Lost[0]
	o.Lost = slices.Delete(o.Lost, 0, 1)
	if len(o.Lost) == 0 {
		o.Lost = nil
	}
	was := tab.Target
	back := Reopened{Number: tab.Number, URL: tab.URL, Empty: at != tab.URL}
	o.Reopened = append(slices.DeleteFunc(o.Reopened, func(r Reopened) bool { return r.Number == tab.Number }), back)
	o.ReopenedAt = b.opened()
	tab.Target, tab.URL, tab.Want = target, at, ""
	if at != "about:blank" {
		tab.Want = at
	}
	for _, other := range o.tabs {
		if other.Opener == was {
			other.Opener = target
		}
	}
	for i := range o.Lost {
		if o.Lost[i].Opener == was {
			o.Lost[i].Opener = target
		}
	}
	if o.Active == was {
		o.Active = target
	}
	o.tabs[target] = &tab
}

// strays are the pages of the shared context that nobody owns.
func (b *Board) strays() []string {
	all := []string{}
	for id, t := range b.targets {
		if t.owner == nil && t.Type == "page" && (t.ContextID == b.shared || t.ContextID == "") {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return all
}

// adoptOpening finds the page that a board asked for which is dead by now.
func (b *Board) adoptOpening() {
	was := b.opening
	b.opening = nil
	if was == nil {
		return
	}
	o := b.owners[was.Owner]
	if o == nil || len(o.Lost) == 0 || o.Lost[0].Number != was.Number {
		return
	}
	for _, id := range b.strays() {
		t := b.targets[id]
		if slices.Contains(was.Before, id) || t.OpenerID != "" {
			continue
		}
		b.found(o, id, o.Lost[0].URL)
		if t.hold == "" {
			b.hold(t)
		}
		b.own(t, o)
		return
	}
}

// News is what an owner has not been told yet: its tabs that were opened again
// since their browser had died, and when that was; zero where there is none.
func (b *Board) News(name string) (time.Time, []Reopened) {
	if o := b.owners[name]; o != nil && len(o.Reopened) > 0 {
		return o.ReopenedAt, slices.Clone(o.Reopened)
	}
	return time.Time{}, nil
}

// Heard drops the news that an owner has been told, but none that is newer.
func (b *Board) Heard(name string, at time.Time) {
	if o := b.owners[name]; o != nil && !o.ReopenedAt.After(at) && len(o.Reopened) > 0 {
		o.Reopened, o.ReopenedAt = nil, time.Time{}
		b.save()
	}
}

// Closing says that the browser has been asked to end: that its pages go now is
// no news of theirs.
func (b *Board) Closing() { b.closing = true }
