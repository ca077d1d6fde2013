package patches

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// folderUploads gives folders to file inputs, one at a time.
//
// Chromium 156 reads a folder only for the front tab of a window. For any other tab it answers
// DOM.setFileInputFiles without an error but reads nothing. Playwright then waits for the input's
// change event, which never comes. So the Mux brings the input's page to the front before the call.
// If a page opens a tab during the upload, this tab comes to the front, and Chromium may not read
// the folder. So the Mux checks the input after the upload, and repeats the upload if the input is
// empty.
//
// If a person sees the windows, the Mux brings no page to the front ([Options.Visible]).
type folderUploads struct {
	m       *Mux
	last    *tenant // the tenant of the newest upload that was started
	busy    bool
	waiting []folderUpload
}

const (
	// uploadSettle is the time from the browser's reply until the Mux checks the input. The browser
	// reads the folder on another thread, and may still be reading when it replies.
	uploadSettle = 100 * time.Millisecond
	// uploadLimit is the time after which the next upload may start, even if the page of the
	// present upload has not responded.
	uploadLimit = 3 * time.Second
	// uploadTries is how often the Mux gives the folder of one upload to the input, at most.
	uploadTries = 5
)

// folderUpload is a request that gives a folder to a file input.
type folderUpload struct {
	s *session
	r cdp.Request
}

// setFiles forwards DOM.setFileInputFiles. If a request has a single path and the input takes a
// folder, the request goes through [folderUploads], except in a visible browser. To find out
// whether the input takes a folder, setFiles calls DOM.describeNode on the client's session. It
// does not look at the file system, because the path may be on a disk that does not respond.
func setFiles(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	var files []string
	if err := f.read("files", &files); err != nil {
		return err
	}
	if m.Visible || len(files) != 1 || s.page() == nil {
		m.forward(s, r, r.Params)
		return nil
	}
	node := fields{}
	for _, name := range []string{"objectId", "nodeId", "backendNodeId"} {
		if id, ok := f[name]; ok {
			node[name] = id
		}
	}
	r.Params = encode(f)
	m.callOn(s, r, "DOM.describeNode", encode(node), func(in cdp.Message) {
		switch {
		case !takesFolder(in):
			m.forward(s, r, r.Params)
		default:
			m.uploads.add(folderUpload{s, r})
		}
	})
	return nil
}

// takesFolder reports whether the reply to DOM.describeNode describes an input that takes a folder.
func takesFolder(in cdp.Message) bool {
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

// add queues an upload. A queued upload counts as a pending call of its client.
func (fu *folderUploads) add(u folderUpload) {
	u.s.client.pending++
	fu.waiting = append(fu.waiting, u)
	fu.next()
}

// next starts the next upload if no upload is in progress. This is the first upload in the queue
// whose tenant is not the tenant of the previous upload. If the queue has no such upload, it is the
// first upload in the queue.
func (fu *folderUploads) next() {
	if fu.busy || len(fu.waiting) == 0 {
		return
	}
	at := max(0, slices.IndexFunc(fu.waiting, func(u folderUpload) bool { return u.s.client.tenant != fu.last }))
	u := fu.waiting[at]
	fu.waiting = slices.Delete(fu.waiting, at, at+1)
	u.s.client.pending--
	if !fu.m.isOpen(u.s) {
		fu.next()
		return
	}
	fu.busy, fu.last = true, u.s.client.tenant
	active := &activeUpload{folderUpload: u, queue: fu, m: fu.m, triesLeft: uploadTries}
	fu.m.after(uploadLimit, active.end)
	active.send()
}

// activeUpload is the upload in progress. The Mux has brought its page to the front.
type activeUpload struct {
	folderUpload
	queue     *folderUploads
	m         *Mux
	triesLeft int
	over      bool
}

// end ends the upload, so that the next upload can start.
func (u *activeUpload) end() {
	if !u.over {
		u.over, u.queue.busy = true, false
		u.queue.next()
	}
}

// send brings the page to the front and gives the folder to the input. The client gets the
// reply to the first attempt.
func (u *activeUpload) send() {
	first := u.triesLeft == uploadTries
	u.triesLeft--
	u.m.callOn(u.s.page(), u.r, "Page.bringToFront", nil, func(cdp.Message) {
		if u.over && !first || !u.m.isOpen(u.s) { // the input's session can end before the page's
			u.end()
			return
		}
		u.m.callOn(u.s, u.r, u.r.Method, u.r.Params, func(in cdp.Message) {
			if first {
				u.m.forwardReply(pendingCall{client: u.s.client, session: u.s, clientID: u.r.ID}, in)
			}
			u.m.after(uploadSettle, u.check)
		})
	})
}

// check sends the folder again if the input is still empty. It is empty if another tab came to the
// front before the browser read the folder, or if the folder has no files.
func (u *activeUpload) check() {
	var input struct {
		ID string `json:"objectId"`
	}
	if u.over || u.triesLeft == 0 || !u.m.isOpen(u.s) || json.Unmarshal(u.r.Params, &input) != nil || input.ID == "" {
		u.end()
		return
	}
	u.m.callOn(u.s, u.r, "Runtime.callFunctionOn", encode(map[string]any{
		"objectId": input.ID, "functionDeclaration": "function() { return this.files.length }", "returnByValue": true,
	}), func(in cdp.Message) {
		var out struct{ Result struct{ Value *int } }
		if in.Result(&out) == nil && out.Result.Value != nil && *out.Result.Value == 0 {
			u.send()
			return
		}
		u.end()
	})
}
