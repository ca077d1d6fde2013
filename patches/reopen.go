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
const stableTime = 10 * time.Second

// opening is a lost tab on its way. It is on disk before the browser is asked for
// the page, so that a board that comes in between finds the page and makes no
// second one.
type reopening struct {
	Owner  string   `json:"owner"`
	Number int      `json:"number"`
	Before []string `json:"before"` // the pages that nobody owned
}

// Reopen opens the lost tabs one after the other, those of sessions at work first.
// done is called when all are there that can be had.
func (m *Mux) Reopen(done func()) {
	m.finishReopening()
	m.after(stableTime-m.Clock().Sub(m.BrowserStart), func() { // whatever became of our predecessors

		for _, tn := range m.tenants {
			for _, tab := range tn.tabs {
				tab.Loads = 0
			}
		}
		m.saveSoon()
	})
	owners := m.sortedTenants()
	slices.SortStableFunc(owners, func(x, y *tenant) int { return cmp.Compare(releasedRank(x), releasedRank(y)) })
	m.reopenNext(owners, done)
}

func releasedRank(tn *tenant) int {
	if tn.Released.IsZero() {
		return 0
	}
	return 1
}

// reopenNext opens the first lost tab of the first owner that has one.
func (m *Mux) reopenNext(owners []*tenant, done func()) {
	for len(owners) > 0 && len(owners[0].Lost) == 0 {
		owners = owners[1:]
	}
	if len(owners) == 0 {
		done()
		return
	}
	tn := owners[0]
	tab := &tn.Lost[0]
	to := tab.reopenURL()
	tab.Loads++
	m.reopening = &reopening{Owner: tn.Name, Number: tab.Number, Before: m.unownedPages()}
	m.save()
	reopened := func(ok bool) {
		m.reopening = nil
		if ok {
			m.spare.dropFirstPage()
		} else { // it stays lost: this browser is about to go as well
			owners = owners[1:]
		}
		m.save()
		m.reopenNext(owners, done)
	}
	if !tn.Incognito {
		m.reopenAt(tn, to, reopened)
		return
	}
	m.createPrivate(tn, func(err error) { // its context went with the browser, logins and all
		if err != nil {
			reopened(false)
			return
		}
		m.reopenAt(tn, to, reopened)
	})
}

// address is where a lost tab is opened.
func (t *Tab) reopenURL() string {
	if t.URL == "" || t.Loads >= maxLoads {
		return "about:blank"
	}
	return t.URL
}

// reopenAt opens the owner's first lost tab, empty where the browser does not
// take its address.
func (m *Mux) reopenAt(tn *tenant, to string, then func(ok bool)) {
	id := m.nextID()
	m.creates[id] = tn
	m.pending[id] = pendingCall{then: func(in cdp.Message) {
		var out targetParam
		err := in.Result(&out)
		if err != nil {
			delete(m.creates, id)
			m.assignRemaining()
			m.Log.Warn("opening a lost tab again", "owner", tn.Name, "error", err)
			if to == "about:blank" {
				then(false)
				return
			}
			m.reopenAt(tn, "about:blank", then)
			return
		}
		m.rebindTab(tn, out.TargetID, to)
		m.targetCreated(id, tn, out.TargetID)
		then(true)
	}}
	home := m.defaultContext(tn)
	m.send(id, "Target.createTarget", encode(createParams{to, true, home, home != m.shared && !m.hasWindow(home)}), "")
}

type createParams struct {
	URL        string `json:"url"`
	Background bool   `json:"background"`
	ContextID  string `json:"browserContextId,omitempty"`
	NewWindow  bool   `json:"newWindow,omitempty"`
}

// reopens reports whether a target in an incognito owner's context may be the lost
// tab that is on its way: the browser's reply names it.
func (m *Mux) mayBeReopened(t *target, tn *tenant) bool {
	return m.reopening != nil && m.reopening.Owner == tn.Name && tn.tabs[t.TargetID] == nil && t.Type == "page" && t.OpenerID == "" && t.ContextID == tn.Private
}

// found gives the owner's first lost tab the target that stands for it now.
func (m *Mux) rebindTab(tn *tenant, target, at string) {
	tab := tn.Lost[0]
	tn.Lost = slices.Delete(tn.Lost, 0, 1)
	if len(tn.Lost) == 0 {
		tn.Lost = nil
	}
	was := tab.Target
	back := Reopened{Number: tab.Number, URL: tab.URL, Empty: at != tab.URL}
	tn.Reopened = append(slices.DeleteFunc(tn.Reopened, func(r Reopened) bool { return r.Number == tab.Number }), back)
	tn.ReopenedAt = m.now()
	tab.Target, tab.URL, tab.Pending = target, at, ""
	if at != "about:blank" {
		tab.Pending = at
	}
	for _, other := range tn.tabs {
		if other.Opener == was {
			other.Opener = target
		}
	}
	for i := range tn.Lost {
		if tn.Lost[i].Opener == was {
			tn.Lost[i].Opener = target
		}
	}
	if tn.Active == was {
		tn.Active = target
	}
	tn.tabs[target] = &tab
}

// strays are the pages of the shared context that nobody owns.
func (m *Mux) unownedPages() []string {
	all := []string{}
	for id, t := range m.targets {
		if t.owner == nil && t.Type == "page" && (t.ContextID == m.shared || t.ContextID == "") {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return all
}

// adoptOpening finds the page that a board asked for which is dead by now.
func (m *Mux) finishReopening() {
	was := m.reopening
	m.reopening = nil
	if was == nil {
		return
	}
	tn := m.tenants[was.Owner]
	if tn == nil || len(tn.Lost) == 0 || tn.Lost[0].Number != was.Number {
		return
	}
	for _, id := range m.unownedPages() {
		t := m.targets[id]
		if slices.Contains(was.Before, id) || t.OpenerID != "" {
			continue
		}
		m.rebindTab(tn, id, tn.Lost[0].URL)
		if t.session == "" {
			m.attach(t)
		}
		m.setOwner(t, tn)
		return
	}
}

// News is what an owner has not been told yet: its tabs that were opened again
// since their browser had died, and when that was; zero where there is none.
func (m *Mux) Reopened(name string) (time.Time, []Reopened) {
	if tn := m.tenants[name]; tn != nil && len(tn.Reopened) > 0 {
		return tn.ReopenedAt, slices.Clone(tn.Reopened)
	}
	return time.Time{}, nil
}

// Heard drops the news that an owner has been told, but none that is newer.
func (m *Mux) ClearReopened(name string, at time.Time) {
	if tn := m.tenants[name]; tn != nil && !tn.ReopenedAt.After(at) && len(tn.Reopened) > 0 {
		tn.Reopened, tn.ReopenedAt = nil, time.Time{}
		m.save()
	}
}

// Closing says that the browser has been asked to end: that its pages go now is
// no news of theirs.
func (m *Mux) BrowserClosing() { m.closing = true }
