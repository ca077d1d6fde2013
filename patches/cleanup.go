package patches

import (
	"maps"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// cleanup cleans released pages: it removes from a page what the tenant's clients left there, even
// if the clients have died. It runs a script ([Options.CleanupScript]) in every frame of the page.
// It finds the frames in the page's process by their execution contexts. Frames of other sites are
// targets of their own, so cleanup attaches to them.
type cleanup struct {
	m        *Mux
	sessions map[string]*cleaning // by the ids of the sessions on the pages and their frames
}

// cleaning is the cleaning of one page.
type cleaning struct {
	target  *target
	session string // the session on the page
	waits   int    // the number of replies that the browser has not sent yet
	stopped bool
}

// cleanupTime is the longest time that a page may take to report its frames. It does so as soon as
// its scripts let it, which takes long if the page or the machine is busy.
const cleanupTime = time.Minute

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
	if before := cl.sessions[t.session]; before != nil { // the page was released twice within a short time
		cl.stop(before)
	}
	c := &cleaning{target: t, session: t.session}
	cl.m.call("Runtime.evaluate", encode(evaluateParams{Expression: cl.m.CleanupScript, Silent: true}), c.session, nil)
	cl.watch(c.session, c)
	cl.m.after(cleanupTime, func() { cl.stop(c) })
}

// watch makes the browser send events on a CDP session that is attached to the page or to one of its
// frames. The events report the execution contexts of the page or frame, and the frames of other
// sites in it. The browser sends the events about those that exist before its replies, so the
// cleaning ends with the last reply.
func (cl *cleanup) watch(session string, c *cleaning) {
	cl.sessions[session] = c
	c.waits += 2
	replied := func(cdp.Message) {
		if c.waits--; c.waits == 0 {
			cl.stop(c)
		}
	}
	cl.m.call("Runtime.enable", nil, session, replied)
	cl.m.call("Target.setAutoAttach", []byte(attachFrames), session, replied)
}

// stop ends the cleaning of a page: the browser sends no further events about its frames.
func (cl *cleanup) stop(c *cleaning) {
	if c.stopped {
		return
	}
	c.stopped = true
	maps.DeleteFunc(cl.sessions, func(_ string, of *cleaning) bool { return of == c })
	cl.m.call("Target.setAutoAttach", []byte(detachFrames), c.session, nil)
	cl.m.call("Runtime.disable", nil, c.session, nil)
}

// handleEvent handles an event on a session in cleanup.sessions. If the event reports a frame of
// another site, handleEvent watches the frame. If the event reports the main execution context of a
// frame, handleEvent runs the script there. If a client has connected since the release,
// handleEvent does nothing, because the contents of the frame may belong to the new client.
func (cl *cleanup) handleEvent(c *cleaning, in cdp.Message) {
	if c.target.owner == nil || c.target.owner.live() {
		return
	}
	switch in.Method {
	case "Target.attachedToTarget":
		var p attachedParams
		if in.Params(&p) == nil {
			cl.watch(p.SessionID, c)
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
