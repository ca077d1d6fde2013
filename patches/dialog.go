package patches

import (
	"bytes"
	"strings"
)

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
