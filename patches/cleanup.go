package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// cleanup cleans released pages: it removes from a page what the tenant's clients left there, even
// if the clients have died. It runs a script ([Options.CleanupScript]) in every frame of the page.
// It finds the frames in the page's process by their execution contexts. Frames of other sites are
// targets of their own, so cleanup attaches to them.
type cleanup struct {
	m        *Mux
	sessions map[string]*target // pages being cleaned, by the ids of the sessions on them
}

// cleanupTime is how long cleanup waits for events about the frames of a page. In the main frame
// the script runs at once, without waiting for an event.
const cleanupTime = 2 * time.Second

const (
	attachFrames = `{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true,"filter":[{"type":"iframe"},{"exclude":true}]}`
	detachFrames = `{"autoAttach":false,"waitForDebuggerOnStart":false,"flatten":true}`
)

type evaluateParams struct {
	Expression string `json:"expression"`
	Context    string `json:"uniqueContextId,omitzero"`
	Silent     bool   `json:"silent"`
}

// start runs the script in a released page and begins to watch for the page's frames.
func (cl *cleanup) start(t *target) {
	if cl.m.CleanupScript == "" || t.session == "" || t.paused {
		return
	}
	page := t.session
	cl.m.call("Runtime.evaluate", encode(evaluateParams{Expression: cl.m.CleanupScript, Silent: true}), page, nil)
	cl.watch(page, t)
	cl.m.after(cleanupTime, func() {
		for session, of := range cl.sessions {
			if of == t {
				delete(cl.sessions, session)
			}
		}
		cl.m.call("Target.setAutoAttach", []byte(detachFrames), page, nil)
		cl.m.call("Runtime.disable", nil, page, nil)
	})
}

// watch makes the browser send events on a CDP session that is attached to page t or to one of its
// frames. The events report the execution contexts of the page or frame, and the frames of other
// sites in it.
func (cl *cleanup) watch(session string, t *target) {
	cl.sessions[session] = t
	cl.m.call("Runtime.enable", nil, session, nil)
	cl.m.call("Target.setAutoAttach", []byte(attachFrames), session, nil)
}

// handleEvent handles an event on a session in cleanup.sessions. If the event reports a frame of
// another site, handleEvent watches the frame. If the event reports the main execution context of a
// frame, handleEvent runs the script there. If a client has connected since the release,
// handleEvent does nothing, because the contents of the frame may belong to the new client.
func (cl *cleanup) handleEvent(t *target, in cdp.Message) {
	if t.owner == nil || t.owner.live() {
		return
	}
	switch in.Method {
	case "Target.attachedToTarget":
		var p attachedParams
		if in.Params(&p) == nil {
			cl.watch(p.SessionID, t)
		}
	case "Runtime.executionContextCreated":
		var p struct {
			Context struct {
				ID  string `json:"uniqueId"`
				Aux struct {
					IsDefault bool `json:"isDefault"`
				} `json:"auxData"`
			} `json:"context"`
		}
		if in.Params(&p) == nil && p.Context.Aux.IsDefault {
			cl.m.call("Runtime.evaluate", encode(evaluateParams{cl.m.CleanupScript, p.Context.ID, true}), in.Session, nil)
		}
	}
}
