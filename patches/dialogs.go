package patches

import (
	"slices"

	"github.com/abrowser/abrowser/patches/cdp"
)

// A CDP session gets only the events of dialogs that open after its Page.enable, and only a session
// that got the event of a dialog can close the dialog. If all clients of a page have left, or have
// not yet sent Page.enable, the page's next dialog would block the page forever. In a browser
// without windows a person cannot close the dialog either.
//
// So the Mux enables the Page domain on its own session on each page. While the tenant has a
// client, the Mux closes each dialog that no client can close. If the Mux ends while a dialog is
// open, the next Mux closes the dialog on the sessions of the previous Mux, which are in the
// journal ([State.Journal]).

// watchDialogs enables the Page domain on the Mux's own session on a page, so that the
// browser reports the page's dialogs to the Mux.
func (m *Mux) watchDialogs(t *target) {
	if t.session == "" || t.paused || t.tab == nil || t.dialogs.session == t.session {
		return
	}
	t.dialogs.session, t.dialogs.open = t.session, ""
	if !slices.Contains(m.journal, t.session) {
		m.journal = append(m.journal, t.session)
		m.saveSoon()
	}
	m.call("Page.enable", nil, t.session, nil)
}

// dialogs records the open dialog of a page and the sessions that can close it.
type dialogs struct {
	session string // the id of the Mux's own session on which it has enabled the Page domain
	open    string // the type of the open dialog; empty if no dialog is open
	// closers has the ids of the clients' sessions on which the browser reported the dialog. A
	// client can close the dialog on such a session.
	closers map[string]bool
}

// dialogEvent handles an event on the Mux's own session on page t, if the event is about a dialog.
func (m *Mux) dialogEvent(t *target, in cdp.Message) {
	if in.Session != t.dialogs.session {
		return
	}
	switch in.Method {
	case "Page.javascriptDialogOpening":
		var p struct{ Type string }
		if in.Params(&p) != nil {
			return
		}
		t.dialogs.open = p.Type
		m.closeUnlessReported(t)
	case "Page.javascriptDialogClosed":
		t.dialogs.open = ""
	}
}

// noteDialog is called when the browser reports a dialog on a client's session s. It reports
// whether the client may get the event. If so, noteDialog records that the dialog can be closed on
// s.
//
// While the setup call of s ([session.setupCall]) is unanswered, the client does not get the event.
// Playwright would ignore the dialog, because it does not know the frame yet, and the dialog would
// block the reply to the setup call forever. The Mux closes such a dialog itself.
func (m *Mux) noteDialog(s *session) bool {
	t := m.targets[s.target]
	if t == nil {
		return true
	}
	if _, waiting := m.pending[s.setupCall]; waiting && t.session != "" && t.dialogs.session == t.session {
		return false
	}
	if t.dialogs.closers == nil {
		t.dialogs.closers = map[string]bool{}
	}
	t.dialogs.closers[s.id] = true
	return true
}

// closeUnlessReported closes a page's new dialog unless the browser reports the dialog on a
// client's session too. If a client has sent Page.enable, such a report may still be on its way. So
// closeUnlessReported first makes one more call and waits for the reply. The browser handles
// messages in order, so before this reply it reports the dialog on every session that gets it. If
// the tenant has no client, the dialog stays open (see [Mux.closeDialogs]).
func (m *Mux) closeUnlessReported(t *target) {
	if t.owner == nil {
		return
	}
	if !m.isWatched(t, nil) {
		m.closeDialogs(t.owner)
		return
	}
	m.call("Browser.getVersion", nil, "", func(cdp.Message) {
		if t.owner != nil {
			m.closeDialogs(t.owner)
		}
	})
}

// closeDialogs closes each open dialog of a tenant's pages unless a client can close the dialog. It
// does nothing if the tenant has no client.
func (m *Mux) closeDialogs(tn *tenant) {
	for _, t := range m.targetsOf(tn) {
		if len(tn.clients) > 0 {
			m.closeDialog(t)
		}
	}
}

// closeDialog closes the page's open dialog, if any, unless a client can close it.
func (m *Mux) closeDialog(t *target) {
	kind := t.dialogs.open
	if kind == "" || len(t.dialogs.closers) > 0 {
		return
	}
	t.dialogs.open = ""
	m.answerDialog(kind, t.session)
}

// answerDialog closes a dialog on a session that got the dialog's event. kind is the dialog's type.
// answerDialog accepts an alert or a beforeunload dialog, and dismisses any other dialog. If kind
// is empty, it does nothing.
func (m *Mux) answerDialog(kind, session string) {
	if kind == "" {
		return
	}
	m.Log.Warn("closing a dialog that no client can close", "type", kind)
	accept := kind == "alert" || kind == "beforeunload"
	m.call("Page.handleJavaScriptDialog", encode(map[string]bool{"accept": accept}), session, nil)
}

// enablePage forwards Page.enable and Page.disable, and records whether the session gets the events
// of the page's dialogs.
func enablePage(m *Mux, s *session, r cdp.Request) *cdp.Error {
	s.pageEnabled = r.Method == "Page.enable"
	call := m.forward(s, r, r.Params)
	if !s.askedFrames { // afterwards the page is set up
		s.setupCall = call
	}
	if !s.pageEnabled {
		m.forgetDialog(s)
		m.closeDialogs(s.client.tenant)
	}
	return nil
}

// getFrameTree forwards Page.getFrameTree and records that the client waits for the page's frames.
// If the browser reported a dialog on the session before the first such request, the dialog would
// block the request forever, because Playwright ignores a dialog of a frame that it does not know.
// So the Mux closes this dialog, unless another client can close it.
func getFrameTree(m *Mux, s *session, r cdp.Request) *cdp.Error {
	call := m.forward(s, r, r.Params)
	if !s.askedFrames {
		s.askedFrames, s.setupCall = true, call
		m.forgetDialog(s)
		m.closeDialogs(s.client.tenant)
	}
	return nil
}

// forgetDialog records that the open dialog of a page cannot be closed on session s.
func (m *Mux) forgetDialog(s *session) {
	if t := m.targets[s.target]; t != nil {
		delete(t.dialogs.closers, s.id)
	}
}

// closeUnwatched is called when client c leaves. On each page that no other client watches, it
// closes the dialog that may be open and that the browser reported to c and not to the Mux. The Mux
// can miss a dialog because a new page runs for some milliseconds before the Page domain is enabled
// on the Mux's own session.
func (m *Mux) closeUnwatched(c *client) {
	for _, s := range c.allSessions() {
		if t := m.targets[s.target]; s.pageEnabled && t != nil && t.dialogs.open == "" && !m.isWatched(t, c) {
			m.call("Page.handleJavaScriptDialog", encode(map[string]bool{"accept": false}), s.id, nil)
		}
	}
}

// isWatched reports whether any client has the Page domain enabled on a page. The client excluded
// does not count. If it is nil, every client counts.
func (m *Mux) isWatched(t *target, excluded *client) bool {
	for _, s := range m.sessions {
		if s.target == t.TargetID && s.client != excluded && s.pageEnabled && !s.client.gone {
			return true
		}
	}
	return false
}
