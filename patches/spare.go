package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// A spare page is a blank one in the shared context that is nobody's yet: the next
// session's first page, made ahead. It runs, is held by us, and is in no list; from
// the moment it is taken it is a page like any other. Where a person or a crash gets
// to it first, it is no spare any more. Where a person sees the windows none is made: the
// spare page there is the empty one that the browser came up with, whose tab is in front.

// spareDelay is how long there must have been no new page before one is made ahead:
// it is not to take from the time of a session that begins.
const spareDelay = 500 * time.Millisecond

// spare is the spare page, and what decides when there is to be one.
type spare struct {
	target string    // id; empty: there is none
	ready  bool      // it runs
	making bool      // it has been asked for
	seen   int       // new sessions so far
	last   time.Time // when the last page was made
}

// pageMade takes the news of a new page. Once there were as many new sessions as
// [Options.Spares] says, more are likely to come, and one is made ahead.
func (m *Mux) pageMade(t *target) {
	m.dropFirstPage()
	if t.tab != nil && t.tab.Number == 1 {
		m.spare.seen++
	}
	m.spare.last = m.Clock()
	if m.SpareAfter > 0 && m.spare.seen >= m.SpareAfter {
		m.after(spareDelay, m.prepare)
	}
}

// prepare has ready what the next new session needs: a page, but where a person would see
// it, and what [Options.Prepare] has.
func (m *Mux) prepare() {
	if m.closing || m.Clock().Sub(m.spare.last) < spareDelay { // a later page has it done
		return
	}
	if m.Prepare != nil {
		m.Prepare()
	}
	if !m.Visible && !m.External {
		m.makeSpare()
	}
}

// KeepFirstPage has the empty page that a browser with windows came up with be the spare
// page: the first session gets it, so that the window shows that session and no empty tab.
func (m *Mux) KeepFirstPage() {
	for _, id := range m.unownedPages() {
		t := m.targets[id]
		if !m.Visible || m.External || m.spare.target != "" || t.session != "" || t.URL != "about:blank" {
			continue
		}
		m.spare.target = id
		m.call("Target.attachToTarget", encode(attachParams{id, true}), "", func(cdp.Message) {
			m.spare.ready = m.spare.target == id && t.session != ""
			m.save() // a successor is not to take it for a person's
		})
	}
}

// dropFirstPage closes the page that [Board.KeepFirstPage] kept, where a session's page was
// made that could not be it.
func (m *Mux) dropFirstPage() {
	if !m.Visible || m.spare.target == "" {
		return
	}
	m.call("Target.closeTarget", encode(targetParam{m.spare.target}), "", nil)
	m.spare.target, m.spare.ready = "", false
	m.save()
}

func (m *Mux) makeSpare() {
	if m.spare.making || m.spare.target != "" || m.shared == "" || !m.hasWindow(m.shared) {
		return
	}
	m.spare.making = true
	id := m.nextID()
	m.pending[id] = pendingCall{then: func(in cdp.Message) {
		delete(m.creates, id)
		m.spare.making = false
		var out targetParam
		if err := in.Result(&out); err != nil {
			m.Log.Warn("making a spare page", "error", err)
		} else if t := m.targets[out.TargetID]; t != nil && t.owner == nil && t.session != "" {
			m.keepSpare(t)
		}
		m.assignRemaining()
	}}
	m.creates[id] = nil
	m.after(createTime, func() {
		if _, waiting := m.creates[id]; waiting {
			delete(m.creates, id)
			m.assignRemaining()
		}
	})
	m.send(id, "Target.createTarget", encode(createParams{"about:blank", true, m.shared, false}), "")
}

// keepSpare lets the new page run. It is ready when it says that it does: see
// [Board.letRun].
func (m *Mux) keepSpare(t *target) {
	m.spare.target = t.TargetID
	ready := func(cdp.Message) {
		m.spare.ready = m.spare.target == t.TargetID
		m.save() // a successor is not to take it for a person's
	}
	if !t.paused {
		ready(cdp.Message{})
		return
	}
	t.paused = false
	m.call("Runtime.runIfWaitingForDebugger", nil, t.session, ready)
}

// takeSpare returns the spare page for a createTarget call of no particular wishes,
// nil where there is none.
func (m *Mux) takeSpare(context string, f fields) *target {
	if !m.spare.ready || context != m.shared {
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
	t := m.targets[m.spare.target]
	if t == nil || t.session == "" {
		return nil
	}
	m.spare.target, m.spare.ready = "", false
	return t
}

// isSpare reports whether a target is the spare page, still as it was made.
func (m *Mux) isSpare(t *target) bool {
	if m.spare.target != t.TargetID || t.owner != nil {
		return false
	}
	if t.URL == "" || t.URL == "about:blank" {
		return true
	}
	m.spare.target, m.spare.ready = "", false
	return false
}

// loseSpare takes the news that a target is gone or has crashed.
func (m *Mux) loseSpare(t *target, crashed bool) {
	if m.spare.target != t.TargetID {
		return
	}
	m.spare.target, m.spare.ready = "", false
	if crashed {
		m.call("Target.closeTarget", encode(targetParam{t.TargetID}), "", nil)
	}
}
