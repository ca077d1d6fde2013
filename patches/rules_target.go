package patches

import "github.com/abrowser/abrowser/patches/cdp"

// owns reports whether a target is the owner's: a page or service worker of its
// own, or a frame or worker that a page of its own has brought along.
func (m *Mux) owns(tn *tenant, target string) bool {
	if t := m.targets[target]; t != nil {
		return t.owner == tn
	}
	for _, c := range tn.clients {
		if c.root != nil && c.root.hasDescendant(target) {
			return true
		}
	}
	return false
}

func (s *session) hasDescendant(target string) bool {
	for _, child := range s.children {
		if child.target == target && !child.browser || child.hasDescendant(target) {
			return true
		}
	}
	return false
}

// setAutoAttach of a browser-level session is answered here: its targets are
// announced one by one, as they come, and those that live already before the
// reply: see [Board.adopt]. On other sessions it is the page's own business, but for the service
// workers of the shared context.
func setAutoAttach(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	on, err := f.flag("autoAttach")
	if err != nil {
		return err
	}
	if !s.browser {
		if on { // Chromium refuses a filter without
			err = m.excludeSharedWorkers(s, f)
		}
		if err == nil {
			m.forward(s, r, encode(f))
		}
		return err
	}
	flatten, err := f.flag("flatten")
	if err != nil {
		return err
	}
	if on && !flatten {
		return badParams("only the flat protocol is supported at the browser")
	}
	if s.waitForDebugger, err = f.flag("waitForDebuggerOnStart"); err != nil {
		return err
	}
	s.autoAttach = on
	m.adopt(s, func() { m.respond(s, r, none{}) })
	return nil
}

// ownedBy are all targets of an owner, its tabs first and in their order, so
// that an opener is told before what it opened.
func (m *Mux) targetsOf(tn *tenant) []*target {
	all := tn.targets()
	for _, t := range m.targets {
		if t.owner == tn && t.tab == nil {
			all = append(all, t)
		}
	}
	return all
}

func setDiscoverTargets(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	on, err := f.flag("discover")
	if err != nil {
		return err
	}
	if !s.browser {
		return notAllowed("targets are discovered at the browser")
	}
	if on && !s.discovers {
		for _, t := range m.targetsOf(s.client.tenant) {
			m.sendEvent(s, "Target.targetCreated", infoParams{t.raw})
		}
	}
	s.discovers = on
	m.respond(s, r, none{})
	return nil
}

func getTargets(m *Mux, s *session, r cdp.Request) *cdp.Error {
	infos := []rawInfo{}
	for _, t := range m.targetsOf(s.client.tenant) {
		infos = append(infos, t.raw)
	}
	m.respond(s, r, struct {
		Infos []rawInfo `json:"targetInfos"`
	}{infos})
	return nil
}

// ownTargetOrNone passes a request on that names a target of the owner's, or
// none and means the session's.
func forwardOwnTargetOrNone(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	id, err := f.text("targetId")
	if err != nil {
		return err
	}
	if id != "" && id != s.target && !m.owns(s.client.tenant, id) {
		return noTarget()
	}
	m.forward(s, r, encode(f))
	return nil
}

// owned reads a request that names a target, which must be the owner's.
func (m *Mux) ownTargetParam(s *session, r cdp.Request) (f fields, id string, err *cdp.Error) {
	if f, err = fieldsOf(r); err != nil {
		return nil, "", err
	}
	if id, err = f.text("targetId"); err != nil {
		return nil, "", err
	}
	if !m.owns(s.client.tenant, id) {
		return nil, "", noTarget()
	}
	return f, id, nil
}

func forwardOwnTarget(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, _, err := m.ownTargetParam(s, r)
	if err != nil {
		return err
	}
	m.forward(s, r, encode(f))
	return nil
}

// autoAttachRelated attaches a browser-level session to what a page of the owner's
// brings along.
func autoAttachRelated(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, id, err := m.ownTargetParam(s, r)
	if err != nil {
		return err
	}
	if t := m.targets[id]; t == nil || !s.client.tenant.ownsContext(t.ContextID) {
		if err := m.excludeSharedWorkers(s, f); err != nil {
			return err
		}
	}
	m.forward(s, r, encode(f))
	return nil
}

func attachToTarget(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	flatten, err := f.flag("flatten")
	if err != nil {
		return err
	}
	if !flatten {
		return badParams("only the flat protocol is supported")
	}
	return forwardOwnTarget(m, s, r)
}

// activateTarget brings nothing to the front: no task may take the focus of
// another, nor a person's.
func activateTarget(m *Mux, s *session, r cdp.Request) *cdp.Error {
	if _, _, err := m.ownTargetParam(s, r); err != nil {
		return err
	}
	m.respond(s, r, none{})
	return nil
}

func detachFromTarget(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	session, err := f.text("sessionId")
	if err != nil {
		return err
	}
	child := m.sessions[session]
	if child == nil || child.client != s.client || child.parent == nil {
		return noSession()
	}
	if !child.handedOff {
		m.forward(s, r, encode(sessionParam{session}))
		return nil
	}
	if t := m.targets[child.target]; t != nil && t.handedOff == child {
		m.resume(t)
	}
	m.callFor(s, r, encode(sessionParam{session}), func(in cdp.Message) { m.forwardResult(s, r, in) })
	return nil
}
