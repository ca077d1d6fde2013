package patches

import (
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// popupTime is the longest time between a click or an announcement and the tab that it causes. If a
// tab without an opener appears within popupTime of a click ([Mux.noteClick]) or of a page's
// announcement ([pendingPopup]), the Mux assumes that this click or this page opened the tab.
const popupTime = 2 * time.Second

// assignOwner finds the tenant that owns a target, and records this tenant as the owner. If the
// target is unowned, assignOwner detaches the Mux from it.
//
// assignOwner is called when the target appears. If an unanswered createTarget call may have
// created the target, assignOwner is called again when that call has been answered or has taken
// [createTime].
//
// The target's id, browser context and opener determine the owner. For a tab without an opener,
// [Mux.guessOpener] guesses the owner. Which tab is active does not matter.
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
				return // this call may have created t, so wait for its reply
			}
		}
		if tn := m.guessOpener(t); tn != nil && t.paused {
			m.setOwner(t, tn)
			return
		}
	}
	m.detachUnowned(t)
}

// findOwner returns the tenant that has t as a tab. Otherwise it returns the tenant that owns t's
// browser context, or else the tenant that has t's opener as a tab. It returns nil if there is no
// such tenant.
func (m *Mux) findOwner(t *target) *tenant {
	if tn := m.tabOwner(t.TargetID); tn != nil {
		return tn
	}
	if tn := m.contextOwner(t.ContextID); tn != nil || t.OpenerID == "" {
		return tn
	}
	return m.tabOwner(t.OpenerID)
}

// tabOwner returns the tenant that has the target as a tab, or nil.
func (m *Mux) tabOwner(target string) *tenant {
	for _, tn := range m.tenants {
		if tn.tabs[target] != nil {
			return tn
		}
	}
	return nil
}

// contextOwner returns the tenant that owns a browser context, or nil.
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

// pendingPopup is the record of an event Page.frameRequestedNavigation. With this event, a page
// announces that it is about to open a tab. The Mux needs the record if a click with a modifier key
// opens the tab, because the tab then has no opener id.
type pendingPopup struct {
	tenant  *tenant
	url     string
	expires time.Time
}

// guessOpener guesses which tenant opened the tab t, which has no opener. It returns the tenant
// whose page announced a tab with the URL of t. If no page did, it returns the tenant with a recent
// click that may have opened t. If no tenant or more than one matches, it returns nil.
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

// notePopup handles the event with which a frame of the tenant announces that it is about to open a
// tab.
func (m *Mux) notePopup(tn *tenant, in cdp.Message) {
	var p struct{ URL, Disposition string }
	if in.Params(&p) != nil || p.Disposition == "currentTab" || p.Disposition == "download" {
		return
	}
	now := m.Clock()
	m.popups = slices.DeleteFunc(m.popups, func(o pendingPopup) bool { return !now.Before(o.expires) })
	m.popups = append(m.popups, pendingPopup{tn, p.URL, now.Add(popupTime)})
}

// detachUnowned detaches the Mux from a target that no tenant owns, such as the tab of a person or
// of an extension. If the target is paused, detachUnowned resumes it first.
func (m *Mux) detachUnowned(t *target) {
	if t.session == "" {
		return
	}
	session, paused := t.session, t.paused
	delete(m.attached, session)
	t.session, t.paused = "", false
	if !paused {
		m.detachSession(session)
		return
	}
	// Detach only after the reply. Otherwise a service worker that has no renderer yet would get
	// only the detachment and not the resumption, and would stay paused forever.
	detach := once(func() { m.detachSession(session) })
	m.call("Runtime.runIfWaitingForDebugger", nil, session, func(cdp.Message) { detach() })
	if t.Type == "page" {
		m.after(resumeTime, detach) // the reply may be lost, see [resumeTime]
	}
}

// targetCreated handles the reply to a createTarget call that was made for a tenant. id is the
// message id of the call, and target is the id of the new target. It makes the tenant the owner of
// the target and returns the target. It returns nil if the browser has not reported the target.
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

// assignRemaining runs [Mux.assignOwner] for all targets without an owner, some of which have
// waited for the reply to a createTarget call.
func (m *Mux) assignRemaining() {
	for _, t := range m.targets {
		if t.owner == nil && (t.session != "" || m.External) {
			m.assignOwner(t)
		}
	}
}

// attach attaches the Mux to a target. It is called when the Mux has no CDP session on the target.
func (m *Mux) attach(t *target) {
	m.call("Target.attachToTarget", encode(attachParams{t.TargetID, true}), "", nil)
}

// newTabModifiers are the modifier keys that open a link in a new tab or window. In CDP's
// encoding, Control is 2, Meta is 4 and Shift is 8.
const newTabModifiers = 2 | 4 | 8

// noteClick is called for each mouse or key event that a tenant's client sends. It records a click
// or key press that may open a tab without an opener.
func (m *Mux) noteClick(tn *tenant, kind, button, key string, modifiers int) {
	mouse := strings.HasPrefix(kind, "mouse") && kind != "mouseMoved" && kind != "mouseWheel"
	opens := mouse && (button == "middle" || modifiers&newTabModifiers != 0) || key == "Enter" && modifiers&newTabModifiers != 0
	if opens {
		tn.popupUntil = m.Clock().Add(popupTime)
	}
}
