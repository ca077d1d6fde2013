package patches

import (
	"bytes"
	"strings"

	"github.com/abrowser/abrowser/patches/cdp"
)

// clientEvent handles an event on a client's session. It updates the Mux's records and forwards the
// event to the client. It may withhold the event of a dialog, and it changes an event that names
// foreign targets.
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
		if !m.noteDialog(s) || !m.getsDialog(s) {
			return
		}
	case "Page.javascriptDialogClosed":
		m.forgetDialog(s)
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
	if in.Method == "Page.fileChooserOpened" {
		s.client.tenant.fileChoosers++
	}
	if isPageEvent(in.Method) {
		s.client.tenant.pageEvents++
	}
	if isActivity(in.Method) {
		s.client.tenant.activity = true
	}
	m.forwardEvent(s, in)
}

// isPageEvent reports whether an event shows a change of a page that the page's clients have to
// handle, such as a navigation or a dialog. For each tenant, the Mux counts these events on all
// connections ([TenantInfo.PageEvents]). The count is for a program with two connections, which
// acts on a page through one of them. If the count has increased during the action, the program has
// to expect events on the other connection.
func isPageEvent(method string) bool {
	switch method {
	case "Page.frameNavigated", "Page.navigatedWithinDocument", "Page.javascriptDialogOpening", "Page.javascriptDialogClosed", "Page.fileChooserOpened", "Runtime.bindingCalled":
		return true
	}
	return false
}

// childAttached handles an attachedToTarget event on a client's session s. It registers the new CDP
// session, and forwards the event. If the new session's target is paused and the client asked for
// waitForDebuggerOnStart, the target is not resumed before the client has sent
// Runtime.runIfWaitingForDebugger on the new session.
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
	call := m.attachCallOf(s, child)
	child.nested = s.nestsFrames && !s.browser
	if call != nil {
		child.nested = call.nested
	}
	if child.browser && call != nil {
		p.Info = m.browserInfo()
		m.sendEvent(s, in.Method, p)
		return
	}
	if t := m.targets[info.TargetID]; s.browser && t != nil && t.paused {
		if s.waitForDebugger && t.waiting != nil {
			t.waiting[child.id] = true
			p.Waiting = true
		}
		m.sendEvent(s, in.Method, p)
		return
	}
	m.forwardEvent(s, in)
}

// If several clients of a tenant are attached to a page, the page's dialogs go to the client that
// acted on the page last, and to the other clients of that client's group. If all clients got a
// dialog, two of them would answer it, and the second answer would fail. Clients of one group do
// not answer twice, because only one of them listens for dialogs.

// A script evaluation that contains one of these texts does not count as an action of the client,
// because it has another purpose:
//
//   - bootstrapMarker: Playwright loads its own scripts.
//   - bindingMarker: Playwright answers a call that the page's script made.
//   - promptMarker: abrowser's daemon answers a call that the page's script made.
//
// After such an answer, the page's script continues and may open a dialog. This dialog is meant for
// the client that started the script, which may not be the client that answered.
const (
	bootstrapMarker = `(() => {\n        const module = {};`
	bindingMarker   = "deliverBindingResult"
	promptMarker    = "Symbol.for('abrowser.asks')"
)

// isAction reports whether a request can make a page open a dialog.
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

// noteAction records that the client acted on a page or on one of the page's frames. s is the
// session on which the client acted. The record is in the field lastAction of the client's session
// on the page. The parameter call is the message id of the action.
func (s *session) noteAction(call int64) {
	for !s.browser && s.parent != nil && !s.parent.browser {
		s = s.parent
	}
	s.lastAction = call
}

// getsDialog reports whether the client of session s gets the dialogs of the page of s. If no
// client has acted on the page or on its openers, all clients of the tenant get the dialogs.
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
		id = t.OpenerID // a popup's first dialog goes to the client that acted on its opener
	}
	return true
}

// lastActor returns the session through which a client most recently acted on a page. The result is
// nil if no client has acted on the page.
func (m *Mux) lastActor(target string) *session {
	var last *session
	for _, s := range m.sessions {
		if s.target == target && s.lastAction != 0 && (last == nil || s.lastAction > last.lastAction) {
			last = s
		}
	}
	return last
}
