package patches

import (
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// clickTime is how long after a click with a modifier a tab without an opener
// may still be that click's.
const popupTime = 2 * time.Second

// decide finds out whose a target is, when it appears and again when a
// createTarget call that might be its maker was answered. By target id, opener
// and context; never by order or activity.
func (m *Mux) assignOwner(t *target) {
	if t.owner != nil {
		m.announce(t)
		return
	}
	if m.spare.isSpare(t) {
		return
	}
	if tn := m.findOwner(t); tn != nil {
		if !m.mayBeReopened(t, tn) {
			m.setOwner(t, tn)
		}
		return
	}
	if t.OpenerID == "" && t.Type == "page" {
		for id := range m.creates {
			if id <= t.lastCreate {
				return // its maker may be that call, whose reply names it
			}
		}
		if tn := m.guessOpener(t); tn != nil && t.paused {
			m.setOwner(t, tn)
			return
		}
	}
	m.detachUnowned(t)
}

// ownerBy is the owner by opener, by browser context, or by what is on disk.
func (m *Mux) findOwner(t *target) *tenant {
	for _, tn := range m.tenants {
		if tn.tabs[t.TargetID] != nil {
			return tn
		}
	}
	if tn := m.contextOwner(t.ContextID); tn != nil || t.OpenerID == "" {
		return tn
	}
	for _, tn := range m.tenants {
		if tn.tabs[t.OpenerID] != nil {
			return tn
		}
	}
	return nil
}

func (m *Mux) contextOwner(context string) *tenant {
	if context == "" || context == m.shared {
		return nil
	}
	for _, tn := range m.tenants {
		if tn.ownsContext(context) {
			return tn
		}
	}
	return nil
}

// order is a page's announcement that it is about to open a tab that will name
// no opener, as a click with a modifier does.
type pendingPopup struct {
	tenant  *tenant
	url     string
	expires time.Time
}

// maker is the owner whose page ordered this tab, else the one owner with a click
// in flight that may open one. Two that could both be it: nobody.
func (m *Mux) guessOpener(t *target) *tenant {
	now := m.Clock()
	m.popups = slices.DeleteFunc(m.popups, func(o pendingPopup) bool { return !now.Before(o.expires) })
	var one *tenant
	at := -1
	for i, o := range m.popups {
		if o.url != t.URL {
			continue
		}
		if one != nil && one != o.tenant {
			return nil
		}
		if one == nil {
			one, at = o.tenant, i
		}
	}
	if one != nil {
		m.popups = slices.Delete(m.popups, at, at+1)
		one.popupUntil = time.Time{}
		return one
	}
	for _, tn := range m.tenants {
		if now.Before(tn.popupUntil) {
			if one != nil {
				return nil
			}
			one = tn
		}
	}
	if one != nil {
		one.popupUntil = time.Time{}
	}
	return one
}

// noteOrder keeps an order of one of an owner's frames.
func (m *Mux) notePopup(tn *tenant, in cdp.Message) {
	var p struct{ URL, Disposition string }
	if in.Params(&p) != nil || p.Disposition == "currentTab" || p.Disposition == "download" {
		return
	}
	now := m.Clock()
	m.popups = slices.DeleteFunc(m.popups, func(o pendingPopup) bool { return !now.Before(o.expires) })
	m.popups = append(m.popups, pendingPopup{tn, p.URL, now.Add(popupTime)})
}

// leave lets a target of nobody be: a person's tab, or an extension's.
func (m *Mux) detachUnowned(t *target) {
	if t.session == "" {
		return
	}
	hold, held := t.session, t.paused
	delete(m.attached, hold)
	t.session, t.paused = "", false
	if !held {
		m.detachSession(hold)
		return
	}
	// Not both at once: a service worker without a renderer yet would hear only the
	// detaching, and wait for ever.
	detach := once(func() { m.detachSession(hold) })
	m.call("Runtime.runIfWaitingForDebugger", nil, hold, func(cdp.Message) { detach() })
	if t.Type == "page" {
		m.after(resumeTime, detach) // its answer may be lost, see [wakeTime]
	}
}

// created takes the reply to an owner's createTarget: the target is its own.
func (m *Mux) targetCreated(id int64, tn *tenant, target string) *target {
	delete(m.creates, id)
	t := m.targets[target]
	if t != nil && t.owner == nil {
		if t.session == "" && !m.External {
			m.attach(t)
		}
		m.setOwner(t, tn)
	}
	m.assignRemaining()
	return t
}

// decideLeft decides on the targets that were waiting for a createTarget call.
func (m *Mux) assignRemaining() {
	for _, t := range m.targets {
		if t.owner == nil && (t.session != "" || m.External) {
			m.assignOwner(t)
		}
	}
}

// hold attaches ourselves to a target that was let go as nobody's, too early.
func (m *Mux) attach(t *target) {
	m.call("Target.attachToTarget", encode(attachParams{t.TargetID, true}), "", nil)
}

// Modifier keys of an input event, as CDP counts them: Alt is 1.
const newTabModifiers = 2 | 4 | 8

// noteClick marks the owner when a click or key press of its client may open a
// tab that names no opener.
func (m *Mux) noteClick(tn *tenant, kind, button, key string, modifiers int) {
	mouse := strings.HasPrefix(kind, "mouse") && kind != "mouseMoved" && kind != "mouseWheel"
	opens := mouse && (button == "middle" || modifiers&newTabModifiers != 0) || key == "Enter" && modifiers&newTabModifiers != 0
	if opens {
		tn.popupUntil = m.Clock().Add(popupTime)
	}
}
