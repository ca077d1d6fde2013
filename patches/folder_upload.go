package patches

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// A folder that is given to a field comes into it in the front tab of a window only:
// for another one Chromium 156 answers setFileInputFiles, reads nothing and says
// nothing, and Playwright waits for the field's change event. So the field's page is
// brought there, for as long as the call takes, one after the other. Nobody sees it:
// where a person has the windows in view it is not done ([Options.Watched]). What any
// page opens comes to the front, too; so the field is looked at behind it.

const (
	frontTime  = 100 * time.Millisecond // after the call's answer; the browser reads the folder on another thread's word
	frontLimit = 3 * time.Second        // for a page that does not answer
	frontTries = 5
)

// front is the use of the front tab. Zero is free.
type front struct {
	last    *tenant // who has it, or had it last
	busy    bool
	waiting []upload
}

// upload is a call that gives a folder to a field.
type upload struct {
	s *session
	r cdp.Request
}

// setFiles passes on the files of a field, and those of a field for a folder in the
// front tab. The field itself is asked, on the client's session: what is given to it
// may be on a disk that does not answer.
func setFiles(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	var files []string
	if err := f.read("files", &files); err != nil {
		return err
	}
	if m.Visible || len(files) != 1 || s.page() == nil {
		m.forward(s, r, r.Params)
		return nil
	}
	field := fields{}
	for _, name := range []string{"objectId", "nodeId", "backendNodeId"} {
		if id, ok := f[name]; ok {
			field[name] = id
		}
	}
	r.Params = encode(f)
	m.askOn(s, r, "DOM.describeNode", encode(field), func(in cdp.Message) {
		switch {
		case !forFolder(in):
			m.forward(s, r, r.Params)
		default:
			s.client.pending++ // while it waits, too
			m.front.waiting = append(m.front.waiting, upload{s, r})
			m.nextInFront()
		}
	})
	return nil
}

// forFolder reports whether a described node is a field for a folder.
func forFolder(in cdp.Message) bool {
	var out struct{ Node struct{ Attributes []string } }
	if in.Result(&out) != nil {
		return false
	}
	for i := 0; i < len(out.Node.Attributes); i += 2 {
		if out.Node.Attributes[i] == "webkitdirectory" {
			return true
		}
	}
	return false
}

// nextInFront gives the front tab to the next that waits for it; to another owner
// than the last one, where there is one.
func (m *Mux) nextInFront() {
	q := &m.front
	if q.busy || len(q.waiting) == 0 {
		return
	}
	at := max(0, slices.IndexFunc(q.waiting, func(u upload) bool { return u.s.client.tenant != q.last }))
	u := q.waiting[at]
	q.waiting = slices.Delete(q.waiting, at, at+1)
	u.s.client.pending--
	if !m.speaks(u.s) {
		m.nextInFront()
		return
	}
	q.busy, q.last = true, u.s.client.tenant
	w := &showing{m, u, frontTries, false}
	m.after(frontLimit, w.end)
	w.give()
}

// showing is an upload that has the front tab.
type showing struct {
	b *Mux
	upload
	tries int // that are left
	over  bool
}

func (w *showing) end() {
	if !w.over {
		w.over, w.b.front.busy = true, false
		w.b.nextInFront()
	}
}

// give brings the page to the front and gives the folder to the field.
func (w *showing) give() {
	first := w.tries == frontTries
	w.tries--
	w.b.askOn(w.s.page(), w.r, "Page.bringToFront", nil, func(cdp.Message) {
		if w.over && !first || !w.b.speaks(w.s) { // its frame may be gone, and not its page
			w.end()
			return
		}
		w.b.askOn(w.s, w.r, w.r.Method, w.r.Params, func(in cdp.Message) {
			if first {
				w.b.forwardReply(pendingCall{client: w.s.client, session: w.s, clientID: w.r.ID}, in)
			}
			w.b.after(frontTime, w.look)
		})
	})
}

// look gives the folder once more where the field has stayed empty, since what another
// page has opened came to the front meanwhile. (An empty folder leaves it so, too.)
func (w *showing) look() {
	var field struct {
		ID string `json:"objectId"`
	}
	if w.over || w.tries == 0 || !w.b.speaks(w.s) || json.Unmarshal(w.r.Params, &field) != nil || field.ID == "" {
		w.end()
		return
	}
	w.b.askOn(w.s, w.r, "Runtime.callFunctionOn", encode(map[string]any{
		"objectId": field.ID, "functionDeclaration": "function() { return this.files.length }", "returnByValue": true,
	}), func(in cdp.Message) {
		var out struct{ Result struct{ Value *int } }
		if in.Result(&out) == nil && out.Result.Value != nil && *out.Result.Value == 0 {
			w.give()
			return
		}
		w.end()
	})
}

// speaks reports whether a client still has a session.
func (m *Mux) speaks(s *session) bool { return !s.client.gone && m.sessions[s.id] == s }

// askOn sends a call that a client's request needs on the session that it came on;
// then gets the reply, unless the session ends before.
func (m *Mux) askOn(s *session, r cdp.Request, method string, params json.RawMessage, then func(in cdp.Message)) {
	id := m.nextID()
	m.pending[id] = pendingCall{client: s.client, session: s, clientID: r.ID, then: then, endsWithSession: true}
	s.client.pending++
	m.send(id, method, params, s.id)
}

// page is the session of the page that a session is of; nil where it is of none.
func (s *session) page() *session {
	for ; s != nil && s.parent != nil && !s.browser; s = s.parent {
		if s.parent.browser {
			return s
		}
	}
	return nil
}
