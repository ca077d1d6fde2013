package patches

import (
	"slices"

	"github.com/abrowser/abrowser/patches/cdp"
)

// A CDP session is told only of the dialogs that open after its Page.enable, and only
// a session that was told can close a dialog. A page whose clients have all left, or
// have not yet sent Page.enable, would be blocked by its next dialog for ever: the
// browser has no window in which a person could close it. So the Mux enables the Page
// domain on its own session on each page and closes the dialogs that no client can close,
// as soon as a client needs the page. If the Mux ends while a dialog is open, the next one
// closes it with the sessions of this one, which are in the journal.

// watchDialogs has the browser tell the Mux of a page's dialogs.
func (m *Mux) watchDialogs(t *target) {
	if t.session == "" || t.paused || t.tab == nil || t.dialogs.session == t.session {
		return
	}
	t.dialogs = dialogs{session: t.session}
	if !slices.Contains(m.journal, t.session) {
		m.journal = append(m.journal, t.session)
		m.saveSoon()
	}
	m.call("Page.enable", nil, t.session, nil)
}

// dialogs is what the Mux knows of a page's dialogs.
type dialogs struct {
	session string          // the Mux's own session on which the Page domain is enabled
	open    string          // the type of the open dialog; empty without one
	told    map[string]bool // the clients' sessions that can close it
}

// dialogEvent handles an event about a dialog on the Mux's own session.
func (m *Mux) dialogEvent(t *target, in cdp.Message) {
	switch in.Method {
	case "Page.javascriptDialogOpening":
		var p struct{ Type string }
		if in.Params(&p) != nil {
			return
		}
		t.dialogs.open, t.dialogs.told = p.Type, map[string]bool{}
		for _, s := range m.sessions {
			if s.target == t.TargetID && s.pageEnabled && !s.client.gone {
				t.dialogs.told[s.id] = true
			}
		}
		if t.owner != nil {
			m.closeDialogs(t.owner)
		}
	case "Page.javascriptDialogClosed":
		t.dialogs.open = ""
	}
}

// closeDialogs closes the dialogs of a tenant that has clients, if none of them can.
func (m *Mux) closeDialogs(tn *tenant) {
	for _, t := range m.targetsOf(tn) {
		if len(tn.clients) > 0 {
			m.closeDialog(t)
		}
	}
}

// closeDialog closes the page's dialog, unless a client can: an alert is confirmed, a page
// that asks whether it may be left is left, and any other question is answered with no.
func (m *Mux) closeDialog(t *target) {
	kind := t.dialogs.open
	if kind == "" || len(t.dialogs.told) > 0 {
		return
	}
	t.dialogs.open = ""
	m.Log.Warn("closing a dialog that no client can close", "type", kind)
	accept := kind == "alert" || kind == "beforeunload"
	m.call("Page.handleJavaScriptDialog", encode(map[string]bool{"accept": accept}), t.session, nil)
}

// enablePage forwards Page.enable and Page.disable, and notes whether the client is told
// of the page's dialogs.
func enablePage(m *Mux, s *session, r cdp.Request) *cdp.Error {
	s.pageEnabled = r.Method == "Page.enable"
	m.forward(s, r, r.Params)
	if !s.pageEnabled {
		m.forgetDialog(s)
		m.closeDialogs(s.client.tenant)
	}
	return nil
}

// forgetDialog notes that a session cannot close the dialog of its page any more.
func (m *Mux) forgetDialog(s *session) {
	if t := m.targets[s.target]; t != nil {
		delete(t.dialogs.told, s.id)
	}
}
