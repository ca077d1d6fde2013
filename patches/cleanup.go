package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// What a session's clients left in a page is taken off when the page goes to rest, also
// where nobody was left to do it: by a script ([Options.Farewell]) in its frames. Those
// of another site are targets of their own, which are attached to for that; those of
// the page's own process are told by their script contexts.

// farewellTime is how long the frames of a page may take to be known. The page itself
// runs the script whenever it can.
const farewellTime = 2 * time.Second

const (
	attachFrames = `{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true,"filter":[{"type":"iframe"},{"exclude":true}]}`
	detachFrames = `{"autoAttach":false,"waitForDebuggerOnStart":false,"flatten":true}`
)

type evaluateParams struct {
	Expression string `json:"expression"`
	Context    string `json:"uniqueContextId,omitzero"`
	Silent     bool   `json:"silent"`
}

// farewell runs the script in a page that goes to rest.
func (m *Mux) farewell(t *target) {
	if m.CleanupScript == "" || t.session == "" || t.paused {
		return
	}
	hold := t.session
	m.call("Runtime.evaluate", encode(evaluateParams{Expression: m.CleanupScript, Silent: true}), hold, nil)
	m.visit(hold, t)
	m.after(farewellTime, func() {
		for session, of := range m.visits {
			if of == t {
				delete(m.visits, session)
			}
		}
		m.call("Target.setAutoAttach", []byte(detachFrames), hold, nil)
		m.call("Runtime.disable", nil, hold, nil)
	})
}

// visit has a session on a page or a frame in it name what the script can be run in.
func (m *Mux) visit(session string, t *target) {
	m.visits[session] = t
	m.call("Runtime.enable", nil, session, nil)
	m.call("Target.setAutoAttach", []byte(attachFrames), session, nil)
}

// visited takes an event of such a session. What is named once somebody has come again
// is left alone: he may have put it there.
func (m *Mux) visited(t *target, in cdp.Message) {
	if t.owner == nil || t.owner.live() {
		return
	}
	switch in.Method {
	case "Target.attachedToTarget":
		var p attachedParams
		if in.Params(&p) == nil {
			m.visit(p.SessionID, t)
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
			m.call("Runtime.evaluate", encode(evaluateParams{m.CleanupScript, p.Context.ID, true}), in.Session, nil)
		}
	}
}
