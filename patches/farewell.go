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
func (b *Board) farewell(t *target) {
	if b.Farewell == "" || t.hold == "" || t.held {
		return
	}
	hold := t.hold
	b.ask("Runtime.evaluate", encode(evaluateParams{Expression: b.Farewell, Silent: true}), hold, nil)
	b.visit(hold, t)
	b.after(farewellTime, func() {
		for session, of := range b.visits {
			if of == t {
				delete(b.visits, session)
			}
		}
		b.ask("Target.setAutoAttach", []byte(detachFrames), hold, nil)
		b.ask("Runtime.disable", nil, hold, nil)
	})
}

// visit has a session on a page or a frame in it name what the script can be run in.
func (b *Board) visit(session string, t *target) {
	b.visits[session] = t
	b.ask("Runtime.enable", nil, session, nil)
	b.ask("Target.setAutoAttach", []byte(attachFrames), session, nil)
}

// visited takes an event of such a session. What is named once somebody has come again
// is left alone: he may have put it there.
func (b *Board) visited(t *target, in cdp.Message) {
	if t.owner == nil || t.owner.live() {
		return
	}
	switch in.Method {
	case "Target.attachedToTarget":
		var p attachedParams
		if in.Params(&p) == nil {
			b.visit(p.SessionID, t)
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
			b.ask("Runtime.evaluate", encode(evaluateParams{b.Farewell, p.Context.ID, true}), in.Session, nil)
		}
	}
}
