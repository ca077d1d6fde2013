package patches

import (
	"bytes"
	"strings"

	"github.com/abrowser/abrowser/patches/cdp"
)

// clientEvent passes an event on to the client whose session it is for.
func (m *Mux) clientEvent(s *session, in cdp.Message) {
	switch in.Method {
	case "Target.attachedToTarget":
		m.childAttached(s, in)
		return
	case "ServiceWorker.workerVersionUpdated":
		if !m.inOwnContext(s) {
			m.sendEvent(s, in.Method, m.filterWorkerVersions(s, in))
			return
		}
	case "Page.frameRequestedNavigation":
		m.notePopup(s.client.tenant, in)
	case "Page.javascriptDialogOpening":
		if !m.getsDialog(s) {
			return
		}
	case "Target.detachedFromTarget":
		var p sessionParam
		if err := in.Params(&p); err == nil {
			if child := m.sessions[p.SessionID]; child != nil && child.client == s.client {
				m.removeSession(child)
				if t := m.targets[child.target]; t != nil {
					m.resumeIfReady(t)
				}
			}
		}
	}
	if isPageEvent(in.Method) {
		s.client.tenant.pageEvents++
	}
	if isActivity(in.Method) {
		s.client.tenant.activity = true
	}
	if s.parent == nil {
		in = in.WithoutSession()
	}
	m.Transport.ToClient(s.client.id, in.Raw)
}

// tells reports whether an event is of what a page did that a client keeps in mind. One
// that acts on another connection has to know when there is something to hear of.
func isPageEvent(method string) bool {
	switch method {
	case "Page.frameNavigated", "Page.navigatedWithinDocument", "Page.javascriptDialogOpening", "Page.javascriptDialogClosed", "Runtime.bindingCalled":
		return true
	}
	return false
}

// attached registers a CDP session that was made on one of a client's own.
func (m *Mux) childAttached(s *session, in cdp.Message) {
	var p attachedParams
	if err := in.Params(&p); err != nil {
		m.Log.Error("reading an event", "method", in.Method, "error", err)
		return
	}
	info := p.Info.parse()
	child := &session{
		id: p.SessionID, client: s.client, parent: s, target: info.TargetID, subtype: info.Type,
		browser: info.Type == "browser", announced: map[string]bool{},
	}
	m.sessions[child.id] = child
	s.children = append(s.children, child)
	if t := m.targets[info.TargetID]; s.browser && t != nil && t.paused {
		if s.waitForDebugger && t.waiting != nil {
			t.waiting[child.id] = true
			p.Waiting = true
		}
		m.sendEvent(s, in.Method, p)
		return
	}
	if s.parent == nil {
		in = in.WithoutSession()
	}
	m.Transport.ToClient(s.client.id, in.Raw)
}

// Where several clients of one owner are at a page, its dialogs are for the one
// that acted on it last, and for those of its party: two would answer them at the same
// time, and whichever came second would find none. Of a party one alone listens.

// What Playwright runs in a page that is no act of its client's: what brings its own
// scripts there, and the answer, Playwright's or our daemon's, to what a page's script
// asked for, with which the page goes on with what somebody else had it do.
const (
	bootstrapMarker = `(() => {\n        const module = {};`
	bindingMarker   = "deliverBindingResult"
	promptMarker    = "Symbol.for('abrowser.asks')"
)

// acts reports whether a request is one of those for which a page opens a dialog.
func isAction(method string, params []byte) bool {
	switch method {
	case "Runtime.evaluate", "Runtime.callFunctionOn":
		return !bytes.Contains(params, []byte(bindingMarker)) && !bytes.Contains(params, []byte(promptMarker)) &&
			!bytes.Contains(params[:min(len(params), 100)], []byte(bootstrapMarker))
	case "Page.navigate", "Page.reload", "Page.navigateToHistoryEntry", "Page.close":
		return true
	}
	return strings.HasPrefix(method, "Input.")
}

// noteAct remembers that a client acted on a page, in the page itself or in one of
// its frames.
func (s *session) noteAction(call int64) {
	for !s.browser && s.parent != nil && !s.parent.browser {
		s = s.parent
	}
	s.lastAction = call
}

// answers reports whether a dialog of the session's page is for its client. Where
// none of the owner's clients has acted on the page, it is for all.
func (m *Mux) getsDialog(s *session) bool {
	for id := s.target; id != ""; {
		last := m.lastActor(id)
		if last != nil {
			return last.client == s.client || last.client.group != "" && last.client.group == s.client.group
		}
		t := m.targets[id]
		if t == nil {
			break
		}
		id = t.OpenerID // a popup's first dialog is for who acted on its opener
	}
	return true
}

// lastToAct is the session on a page whose client acted on it last, nil for none.
func (m *Mux) lastActor(target string) *session {
	var last *session
	for _, s := range m.sessions {
		if s.target == target && s.lastAction != 0 && (last == nil || s.lastAction > last.lastAction) {
			last = s
		}
	}
	return last
}
