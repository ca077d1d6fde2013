package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// spareDelay is how long the Mux waits after the creation of a page before it creates a spare page.
// Without the delay, the creation of the spare page would slow down the start of a session.
const spareDelay = 500 * time.Millisecond

// sparePage is a blank page in the shared context that no tenant owns yet. The Mux creates it in
// advance as the first page of the next session. The page runs, the Mux is attached to it, and
// clients do not see it. A tenant that takes the page owns it like any other page. The page stops
// being the spare page if a person navigates it or its renderer crashes.
//
// If a person sees the windows, the Mux creates no page in advance. In such a browser the spare
// page is the empty page that the browser opened at its start, whose tab is in front.
type sparePage struct {
	m      *Mux
	target string    // target id; empty if there is no spare page
	ready  bool      // the page runs
	making bool      // the createTarget call for a spare page is unanswered
	seen   int       // number of tenants that have got their first page from this Mux
	last   time.Time // when a client last created a page
}

// pageCreated records that a client created page t. If at least [Options.SpareAfter] tenants have
// got their first page, more new tenants are likely. So pageCreated then schedules the creation of
// the next spare page.
func (sp *sparePage) pageCreated(t *target) {
	sp.dropFirstPage()
	if t.tab != nil && t.tab.Number == 1 {
		sp.seen++
	}
	sp.last = sp.m.Clock()
	if sp.m.SpareAfter > 0 && sp.seen >= sp.m.SpareAfter {
		sp.m.after(spareDelay, sp.prepare)
	}
}

// prepare creates a spare page in a browser whose windows no person sees.
func (sp *sparePage) prepare() {
	// If a client has created another page in the meantime, the timer of that page calls prepare.
	if sp.m.closing || sp.m.Clock().Sub(sp.last) < spareDelay {
		return
	}
	if !sp.m.Visible && !sp.m.External {
		sp.create()
	}
}

// keepFirst turns the empty page that a visible browser opens at its start into the spare page. See
// [Mux.KeepFirstPage].
func (sp *sparePage) keepFirst() {
	for _, id := range sp.m.unownedPages() {
		t := sp.m.targets[id]
		if !sp.m.Visible || sp.m.External || sp.target != "" || t.session != "" || t.URL != "about:blank" {
			continue
		}
		sp.target = id
		sp.m.call("Target.attachToTarget", encode(attachParams{id, true}), "", func(cdp.Message) {
			sp.ready = sp.target == id && t.session != ""
			sp.m.save() // otherwise the next Mux would treat the spare page as a person's
		})
	}
}

// dropFirstPage closes the page that [Mux.KeepFirstPage] kept, unless a tenant has taken it. It is
// called when a tenant has got a page. From then on a person would see the kept page as an unused
// empty tab.
func (sp *sparePage) dropFirstPage() {
	if !sp.m.Visible || sp.target == "" {
		return
	}
	sp.m.call("Target.closeTarget", encode(targetParam{sp.target}), "", nil)
	sp.target, sp.ready = "", false
	sp.m.save()
}

// create asks the browser for a spare page.
func (sp *sparePage) create() {
	if sp.making || sp.target != "" || sp.m.shared == "" || !sp.m.hasWindow(sp.m.shared) {
		return
	}
	sp.making = true
	id := sp.m.nextID()
	sp.m.pending[id] = pendingCall{onReply: func(in cdp.Message) {
		delete(sp.m.creates, id)
		sp.making = false
		var out targetParam
		if err := in.Result(&out); err != nil {
			sp.m.Log.Warn("creating a spare page", "error", err)
		} else if t := sp.m.targets[out.TargetID]; t != nil && t.owner == nil && t.session != "" {
			sp.keep(t)
		}
		sp.m.assignRemaining()
	}}
	sp.m.creates[id] = nil
	sp.m.after(createTime, func() {
		if _, waiting := sp.m.creates[id]; waiting {
			delete(sp.m.creates, id)
			sp.m.assignRemaining()
		}
	})
	sp.m.send(id, "Target.createTarget", encode(createParams{"about:blank", true, sp.m.shared, false}), "")
}

// keep resumes a new page and makes it the spare page. A tenant can take the page only after
// Chromium has confirmed that the page runs; see [Mux.resume].
func (sp *sparePage) keep(t *target) {
	sp.target = t.TargetID
	ready := func(cdp.Message) {
		sp.ready = sp.target == t.TargetID
		sp.m.save() // otherwise the next Mux would treat the spare page as a person's
	}
	if !t.paused {
		ready(cdp.Message{})
		return
	}
	t.paused = false
	sp.m.call("Runtime.runIfWaitingForDebugger", nil, t.session, ready)
}

// take returns the spare page for a createTarget call with the given context and params. The page
// then is not the spare page any more. take returns nil if the page is not ready, or if the call
// asks for anything but a blank page of the shared context.
func (sp *sparePage) take(context string, f fields) *target {
	if !sp.ready || context != sp.m.shared {
		return nil
	}
	for name, value := range f {
		switch {
		case name == "background", name == "browserContextId":
		case name == "url" && string(value) == `"about:blank"`:
		default:
			return nil
		}
	}
	t := sp.m.targets[sp.target]
	if t == nil || t.session == "" {
		return nil
	}
	sp.target, sp.ready = "", false
	return t
}

// isSpare reports whether target t is the spare page. If the spare page has navigated, it stops
// being the spare page.
func (sp *sparePage) isSpare(t *target) bool {
	if sp.target != t.TargetID || t.owner != nil {
		return false
	}
	if t.URL == "" || t.URL == "about:blank" {
		return true
	}
	sp.target, sp.ready = "", false
	return false
}

// targetEnded is called when target t has ended or crashed. If t is the spare page, there is no
// spare page afterwards. If the spare page has crashed, targetEnded also closes it.
func (sp *sparePage) targetEnded(t *target, crashed bool) {
	if sp.target != t.TargetID {
		return
	}
	sp.target, sp.ready = "", false
	if crashed {
		sp.m.call("Target.closeTarget", encode(targetParam{t.TargetID}), "", nil)
	}
}

// KeepFirstPage turns the empty page that a visible browser opens at its start into the spare page.
// The first session gets this page, so that the window shows the session and no empty tab. In any
// other browser, KeepFirstPage does nothing.
func (m *Mux) KeepFirstPage() { m.spare.keepFirst() }
