package patches

import (
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// popupTime is how long after a click with a modifier key a tab without an opener can
// be the result of that click.
const popupTime = 2 * time.Second

// assignOwner finds the tenant that owns a target. It runs when the target appears,
// and again when a createTarget call was answered that may have created it. The
// owner follows from target id, opener and browser context; never from the order of
// events or from which tab is active.
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
				return // that call may have created it; its reply names the target
			}
		}
		if tn := m.guessOpener(t); tn != nil && t.paused {
			m.setOwner(t, tn)
			return
		}
	}
	m.detachUnowned(t)
}

// findOwner returns the owner by saved tab, by browser context or by opener, or nil.
func (m *Mux) findOwner(t *target) *tenant {
	if tn := m.tabOwner(t.TargetID); tn != nil {
		return tn
	}
	if tn := m.contextOwner(t.ContextID); tn != nil || t.OpenerID == "" {
		return tn
	}
	return m.tabOwner(t.OpenerID)
}

// tabOwner returns the tenant of which a target is a tab, or nil.
func (m *Mux) tabOwner(target string) *tenant {
	for _, tn := range m.tenants {
		if tn.tabs[target] != nil {
			return tn
		}
	}
	return nil
}

// contextOwner returns the tenant that a browser context belongs to, or nil.
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

// pendingPopup is a page's announcement that it is about to open a tab that will not
// name an opener, as after a click with a modifier key.
type pendingPopup struct {
	tenant  *tenant
	url     string
	expires time.Time
}

// guessOpener returns the tenant whose page announced this tab, or else the only
// tenant with a recent click that may open a tab. If two tenants match, guessOpener
// returns nil.
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

// notePopup records that a frame of a tenant is about to open a tab.
func (m *Mux) notePopup(tn *tenant, in cdp.Message) {
	var p struct{ URL, Disposition string }
	if in.Params(&p) != nil || p.Disposition == "currentTab" || p.Disposition == "download" {
		return
	}
	now := m.Clock()
	m.popups = slices.DeleteFunc(m.popups, func(o pendingPopup) bool { return !now.Before(o.expires) })
	m.popups = append(m.popups, pendingPopup{tn, p.URL, now.Add(popupTime)})
}

// detachUnowned detaches from a target that no tenant owns: a person's tab or an
// extension's. A paused target is resumed.
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
	// The detachment waits for the reply: a service worker without a renderer would
	// otherwise get only the detachment and stay paused forever.
	detach := once(func() { m.detachSession(session) })
	m.call("Runtime.runIfWaitingForDebugger", nil, session, func(cdp.Message) { detach() })
	if t.Type == "page" {
		m.after(resumeTime, detach) // the reply may be lost, see [resumeTime]
	}
}

// targetCreated makes a tenant the owner of the target that the reply to its
// createTarget call names.
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

// assignRemaining runs [Mux.assignOwner] for targets that waited for the reply to a
// createTarget call.
func (m *Mux) assignRemaining() {
	for _, t := range m.targets {
		if t.owner == nil && (t.session != "" || m.External) {
			m.assignOwner(t)
		}
	}
}

// attach attaches the Mux to a target that it is not attached to.
func (m *Mux) attach(t *target) {
	m.call("Target.attachToTarget", encode(attachParams{t.TargetID, true}), "", nil)
}

// newTabModifiers are the modifier keys that open a link in a new tab, in CDP's
// encoding: Control 2, Meta 4, Shift 8.
const newTabModifiers = 2 | 4 | 8

// noteClick records a click or key press of a tenant's client that may open a tab
// without an opener.
func (m *Mux) noteClick(tn *tenant, kind, button, key string, modifiers int) {
	mouse := strings.HasPrefix(kind, "mouse") && kind != "mouseMoved" && kind != "mouseWheel"
	opens := mouse && (button == "middle" || modifiers&newTabModifiers != 0) || key == "Enter" && modifiers&newTabModifiers != 0
	if opens {
		tn.popupUntil = m.Clock().Add(popupTime)
	}
}
