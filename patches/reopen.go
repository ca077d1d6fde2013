package patches

import (
	"cmp"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// When a browser dies, its pages are lost with their contents. The saved state has the URLs of the
// pages. The Mux of the next browser opens these lost tabs again, for the same tenants and under
// the same numbers.

// maxLoads limits how often a lost tab is loaded in browsers that die within stableTime of their
// start. When the limit is reached, the Mux opens the tab as an empty page. Otherwise one page
// could make every new browser die.
const maxLoads = 3

// stableTime is the age at which a browser counts as stable. If a browser dies later, the Mux does
// not assume that one of the reopened pages was the cause.
const stableTime = 10 * time.Second

// reopening is the record of a lost tab for which the Mux requests a page. It is saved before the
// request. If the Mux dies before the reply, the next Mux then finds the page and does not create a
// second one.
type reopening struct {
	Owner  string   `json:"owner"`
	Number int      `json:"number"`
	Before []string `json:"before"` // ids of the pages that were unowned before the request
}

// Reopen opens the lost tabs one after the other, those of live tenants first. It calls done() when
// it has tried to open every lost tab.
func (m *Mux) Reopen(done func()) {
	m.finishReopening()
	// stableTime counts from the start of the browser, not from the start of this Mux.
	m.after(stableTime-m.Clock().Sub(m.BrowserStart), func() {
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

// releasedRank returns a sort key that puts live tenants before released ones.
func releasedRank(tn *tenant) int {
	if tn.Released.IsZero() {
		return 0
	}
	return 1
}

// reopenNext opens the first lost tab of the first owner that has a lost tab, and then calls itself
// for the next one. If a tab cannot be opened, the other lost tabs of its owner stay lost too.
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
		} else { // a browser that refuses even an empty page is about to exit; the tab stays lost
			owners = owners[1:]
		}
		m.save()
		m.reopenNext(owners, done)
	}
	if !tn.Incognito {
		m.reopenAt(tn, to, reopened)
		return
	}
	// The tenant's old context and its logins were lost with the browser.
	m.createPrivate(tn, func(err error) {
		if err != nil {
			reopened(false)
			return
		}
		m.reopenAt(tn, to, reopened)
	})
}

// reopenURL returns the URL at which a lost tab is opened.
func (t *Tab) reopenURL() string {
	if t.URL == "" || t.Loads >= maxLoads {
		return "about:blank"
	}
	return t.URL
}

// reopenAt opens the tenant's first lost tab at url. If the browser refuses url, reopenAt opens the
// tab as an empty page. It calls done(true) if the tab was opened, or done(false) if the browser
// refused the empty page too.
func (m *Mux) reopenAt(tn *tenant, url string, done func(ok bool)) {
	id := m.nextID()
	m.creates[id] = tn
	m.pending[id] = pendingCall{onReply: func(in cdp.Message) {
		var out targetParam
		err := in.Result(&out)
		if err != nil {
			delete(m.creates, id)
			m.assignRemaining()
			m.Log.Warn("opening a lost tab again", "owner", tn.Name, "error", err)
			if url == "about:blank" {
				done(false)
				return
			}
			m.reopenAt(tn, "about:blank", done)
			return
		}
		m.rebindTab(tn, out.TargetID, url)
		m.targetCreated(id, tn, out.TargetID)
		done(true)
	}}
	home := m.defaultContext(tn)
	m.send(id, "Target.createTarget", encode(createParams{url, true, home, home != m.shared && !m.hasWindow(home)}), "")
}

type createParams struct {
	URL        string `json:"url"`
	Background bool   `json:"background"`
	ContextID  string `json:"browserContextId,omitempty"`
	NewWindow  bool   `json:"newWindow,omitempty"`
}

// mayBeReopened reports whether target t, which is in the private context of tenant tn, may be the
// page that the Mux has requested for a lost tab. Only the reply to the request shows whether it
// is.
func (m *Mux) mayBeReopened(t *target, tn *tenant) bool {
	return m.reopening != nil && m.reopening.Owner == tn.Name && tn.tabs[t.TargetID] == nil && t.Type == "page" && t.OpenerID == "" && t.ContextID == tn.Private
}

// rebindTab binds the tenant's first lost tab to its new target, which was opened at url. It
// replaces the old target id by the new one wherever the old one is the opener of another tab or
// the active tab.
func (m *Mux) rebindTab(tn *tenant, target, url string) {
	tab := tn.Lost[0]
	tn.Lost = slices.Delete(tn.Lost, 0, 1)
	if len(tn.Lost) == 0 {
		tn.Lost = nil
	}
	was := tab.Target
	back := Reopened{Number: tab.Number, URL: tab.URL, Empty: url != tab.URL}
	tn.Reopened = append(slices.DeleteFunc(tn.Reopened, func(r Reopened) bool { return r.Number == tab.Number }), back)
	tn.ReopenedAt = m.now()
	tab.Target, tab.URL, tab.Pending = target, url, ""
	if url != "about:blank" {
		tab.Pending = url
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

// unownedPages returns the ids of the unowned pages in the shared context.
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

// finishReopening finds the page that the previous Mux requested for a lost tab before it died, and
// binds the lost tab to this page. If there is no such page, the tab stays lost.
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

// Reopened returns the tabs of a tenant that were opened again after their browser had died, and
// that [Mux.ClearReopened] has not cleared. It also returns the time at which a tab was most
// recently opened again. The time is zero if there are no such tabs.
func (m *Mux) Reopened(name string) (time.Time, []Reopened) {
	if tn := m.tenants[name]; tn != nil && len(tn.Reopened) > 0 {
		return tn.ReopenedAt, slices.Clone(tn.Reopened)
	}
	return time.Time{}, nil
}

// ClearReopened forgets the tabs that [Mux.Reopened] returned. reopenedAt is the time that Reopened
// returned. If another tab has been opened again after that time, ClearReopened does nothing.
func (m *Mux) ClearReopened(name string, reopenedAt time.Time) {
	if tn := m.tenants[name]; tn != nil && !tn.ReopenedAt.After(reopenedAt) && len(tn.Reopened) > 0 {
		tn.Reopened, tn.ReopenedAt = nil, time.Time{}
		m.save()
	}
}

// BrowserClosing records that the browser was asked to exit. Pages that close afterwards
// stay in the saved state.
func (m *Mux) BrowserClosing() { m.closing = true }
