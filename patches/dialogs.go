package patches

import "github.com/abrowser/abrowser/patches/cdp"

// A CDP session is told only of the dialogs that open after its Page.enable, and only
// a session that was told can close a dialog. A page whose clients have all left, or
// have not yet sent Page.enable, would be blocked by its next dialog for ever: the
// browser has no window in which a person could close it. So the Mux enables the Page
// domain on its own session on each page and closes the dialogs of which no client was
// told, as soon as a client needs the page.

// watchDialogs has the browser tell the Mux of a page's dialogs.
func (m *Mux) watchDialogs(t *target) {
	if t.session == "" || t.paused || t.tab == nil || t.dialogs.session == t.session {
		return
	}
	t.dialogs = dialogs{session: t.session}
	m.call("Page.enable", nil, t.session, nil)
}

// dialogs is what the Mux knows of a page's dialogs.
type dialogs struct {
	session string // the Mux's own session on which the Page domain is enabled
	unseen  string // the type of the open dialog of which no client was told; empty without one
}

// dialogEvent handles an event about a dialog on the Mux's own session.
func (m *Mux) dialogEvent(t *target, in cdp.Message) {
	switch in.Method {
	case "Page.javascriptDialogOpening":
		var p struct{ Type string }
		if in.Params(&p) != nil || m.clientWatches(t) {
			return
		}
		t.dialogs.unseen = p.Type
		if t.owner != nil && len(t.owner.clients) > 0 {
			m.closeUnseen(t)
		}
	case "Page.javascriptDialogClosed":
		t.dialogs.unseen = ""
	}
}

// clientWatches reports whether a client was told of a dialog that opens now.
func (m *Mux) clientWatches(t *target) bool {
	for _, s := range m.sessions {
		if s.target == t.TargetID && s.pageEnabled && !s.client.gone {
			return true
		}
	}
	return false
}

// closeUnseen closes the page's dialog if no client was told of it: an alert is
// confirmed, a page that asks whether it may be left is left, and any other question
// is answered with no.
func (m *Mux) closeUnseen(t *target) {
	kind := t.dialogs.unseen
	if kind == "" {
		return
	}
	t.dialogs.unseen = ""
	m.Log.Warn("closing a dialog that opened while nothing was connected to its page", "type", kind)
	accept := kind == "alert" || kind == "beforeunload"
	m.call("Page.handleJavaScriptDialog", encode(map[string]bool{"accept": accept}), t.session, nil)
}

// enablePage forwards Page.enable and Page.disable, and notes whether the client is told
// of the page's dialogs.
func enablePage(m *Mux, s *session, r cdp.Request) *cdp.Error {
	s.pageEnabled = r.Method == "Page.enable"
	m.forward(s, r, r.Params)
	return nil
}
