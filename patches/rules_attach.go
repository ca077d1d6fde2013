package patches

import (
	"slices"

	"github.com/abrowser/abrowser/patches/cdp"
)

// attachCall is an attachToTarget call on a session for which no attachedToTarget event has come.
type attachCall struct {
	target string // [Mux.browserTarget] for the browser's target
	nested bool   // the client asked for a session that is not flat
}

// expectAttach records an attachToTarget call on session s.
func (s *session) expectAttach(target string, nested bool) *attachCall {
	call := &attachCall{target, nested}
	s.attachCalls = append(s.attachCalls, call)
	return call
}

// dropAttach removes the record of a call that has failed.
func (s *session) dropAttach(call *attachCall) {
	s.attachCalls = slices.DeleteFunc(s.attachCalls, func(c *attachCall) bool { return c == call })
}

// attachCallOf removes and returns the record of the call that created the session child of s. It
// returns nil if no call did, as with auto-attach. Chromium handles the calls of a session in order
// and sends the event before the reply.
func (m *Mux) attachCallOf(s, child *session) *attachCall {
	i := slices.IndexFunc(s.attachCalls, func(c *attachCall) bool {
		return c.target == child.target || child.browser && m.isBrowserTarget(c.target)
	})
	if i < 0 {
		return nil
	}
	call := s.attachCalls[i]
	s.attachCalls = slices.Delete(s.attachCalls, i, i+1)
	return call
}

// attachToTarget forwards a request to attach to a target of the tenant or to the browser. For
// Chromium, the new session is always flat (see [Mux.toSession]).
func attachToTarget(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	flatten, err := f.flag("flatten")
	if err != nil {
		return err
	}
	id, err := f.text("targetId")
	if err != nil {
		return err
	}
	browser := m.isBrowserTarget(id)
	var params []byte
	switch {
	case !browser && !m.owns(s.client.tenant, id):
		return noTarget()
	case !flatten && s.depth() >= maxDepth:
		return tooDeep()
	case browser:
		r.Method = "Target.attachToBrowserTarget"
	default:
		f["flatten"] = []byte("true")
		params = encode(f)
	}
	call := s.expectAttach(id, !flatten)
	m.callOn(s, r, r.Method, params, func(in cdp.Message) {
		if in.Result(nil) != nil {
			s.dropAttach(call)
		}
		m.forwardResult(s, r, in)
	})
	return nil
}

// childParam returns the session that a request on session s names by its id or by its target. Only
// the client's sessions that were attached on s are found. The errors are those of Chromium.
func (s *session) childParam(f fields) (*session, *cdp.Error) {
	id, err := f.text("sessionId")
	if err != nil {
		return nil, err
	}
	target, err := f.text("targetId")
	if err != nil {
		return nil, err
	}
	var found []*session
	for _, child := range s.children {
		if id != "" && child.id == id || id == "" && child.target == target {
			found = append(found, child)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case id != "":
		return nil, noSession()
	case target == "":
		return nil, &cdp.Error{Code: -32602, Message: "Session id must be specified"}
	case len(found) > 1:
		return nil, &cdp.Error{Code: -32000, Message: "Multiple sessions attached, specify id."}
	default:
		return nil, &cdp.Error{Code: -32602, Message: "No session for given target id"}
	}
}

// detachFromTarget detaches one of the client's own sessions, when no capture of its page is running.
// If a target is paused for the session, the Mux resumes the target first.
func detachFromTarget(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	child, err := s.childParam(f)
	if err != nil {
		return err
	}
	r.Params = encode(sessionParam{child.id})
	whenNotCaptured(m.capturedBelow(child), func() {
		if m.isOpen(s) {
			m.detachChild(s, child, r)
		}
	})
	return nil
}

// detachChild forwards a request that detaches the child of session s.
func (m *Mux) detachChild(s, child *session, r cdp.Request) {
	m.restoreSize(child.resizedBelow())
	if !child.handedOff {
		m.forward(s, r, r.Params)
		return
	}
	if t := m.targets[child.target]; t != nil && t.handedOff == child {
		m.resume(t)
	}
	m.callFor(s, r, r.Params, func(in cdp.Message) { m.forwardResult(s, r, in) })
}
