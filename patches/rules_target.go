package patches

import "github.com/abrowser/abrowser/patches/cdp"

// owns reports whether a target belongs to the tenant. This is so if the tenant owns the page or
// service worker, or if the target is a frame or worker of a page that the tenant owns.
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

// hasDescendant reports whether a session below s is attached to the target.
func (s *session) hasDescendant(target string) bool {
	for _, child := range s.children {
		if child.target == target && !child.browser || child.hasDescendant(target) {
			return true
		}
	}
	return false
}

// setAutoAttach handles Target.setAutoAttach.
//
// On a browser-level session the request is not forwarded. The Mux itself attaches the client to
// the tenant's existing targets (see [Mux.adopt]) and answers the request. It attaches the client
// to each later target when the target appears.
//
// On any other session the request is forwarded with a filter that excludes the service workers of
// the shared context. For Chromium, the new sessions are always flat (see [Mux.toSession]).
func setAutoAttach(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	on, err := f.flag("autoAttach")
	if err != nil {
		return err
	}
	flatten, err := f.flag("flatten")
	if err != nil {
		return err
	}
	if !s.browser {
		if on && !flatten && s.depth() >= maxDepth {
			return tooDeep()
		}
		if s.nestsFrames = on && !flatten; s.nestsFrames {
			f["flatten"] = []byte("true")
		}
		if on { // Chromium refuses a filter when autoAttach is false
			err = m.excludeSharedWorkers(s, f)
		}
		if err == nil {
			m.forward(s, r, encode(f))
		}
		return err
	}
	if on && !flatten {
		return &cdp.Error{Code: -32602, Message: "Only flatten protocol is supported with browser level auto-attach"}
	}
	if s.waitForDebugger, err = f.flag("waitForDebuggerOnStart"); err != nil {
		return err
	}
	s.autoAttach = on
	m.adopt(s, func() { m.respond(s, r, none{}) })
	return nil
}

// targetsOf returns the targets of a tenant. The tabs come first, in the order of their
// numbers, so that an opener is announced before the tab that it opened.
func (m *Mux) targetsOf(tn *tenant) []*target {
	all := tn.targets()
	for _, t := range m.targets {
		if t.owner == tn && t.tab == nil {
			all = append(all, t)
		}
	}
	return all
}

// setDiscoverTargets turns a session's discovery events on or off. The Mux sends these
// events itself, for the tenant's targets.
func setDiscoverTargets(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	on, err := f.flag("discover")
	if err != nil {
		return err
	}
	if !s.browser {
		return notAllowed("targets are discovered on a session of the browser")
	}
	browser, err := m.showsBrowser(f)
	if err != nil {
		return err
	}
	if on && !s.discovers {
		if browser {
			m.sendEvent(s, "Target.targetCreated", infoParams{m.browserInfo()})
		}
		for _, t := range m.targetsOf(s.client.tenant) {
			m.sendEvent(s, "Target.targetCreated", infoParams{t.raw})
		}
	}
	s.discovers = on
	m.respond(s, r, none{})
	return nil
}

// getTargets answers a request with the TargetInfo of the tenant's targets. The browser's target is
// included if the filter in the request selects it.
func getTargets(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	infos := []rawInfo{}
	browser, err := m.showsBrowser(f)
	if err != nil {
		return err
	}
	if browser {
		infos = append(infos, m.browserInfo())
	}
	for _, t := range m.targetsOf(s.client.tenant) {
		infos = append(infos, t.raw)
	}
	m.respond(s, r, struct {
		Infos []rawInfo `json:"targetInfos"`
	}{infos})
	return nil
}

// forwardOwnTargetOrNone forwards a request that names a target of the tenant. It also
// forwards a request that names no target, which applies to the target of its session.
func forwardOwnTargetOrNone(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
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

// ownTargetParam returns the id of the target that a request names. It returns an error if the
// target does not belong to the tenant.
func (m *Mux) ownTargetParam(s *session, f fields) (id string, err *cdp.Error) {
	if id, err = f.text("targetId"); err != nil {
		return "", err
	}
	if !m.owns(s.client.tenant, id) {
		return "", noTarget()
	}
	return id, nil
}

// forwardOwnTarget forwards a request that names a target of the tenant.
func forwardOwnTarget(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	if _, err := m.ownTargetParam(s, f); err != nil {
		return err
	}
	m.forward(s, r, encode(f))
	return nil
}

// autoAttachRelated forwards a request for auto-attach to the targets that belong to a page
// of the tenant, such as its frames and workers.
func autoAttachRelated(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	id, err := m.ownTargetParam(s, f)
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

// activateTarget answers a request for a target of the tenant with success, but does not activate
// the target, because a client may not take the focus from another tenant or from a person.
func activateTarget(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	if _, err := m.ownTargetParam(s, f); err != nil {
		return err
	}
	m.respond(s, r, none{})
	return nil
}
