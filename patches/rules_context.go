package patches

import (
	"slices"

	"github.com/abrowser/abrowser/patches/cdp"
)

// createBrowserContext is done on our own root and without disposeOnDetach, which
// would bind the context's life to a CDP session.
func createBrowserContext(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	delete(f, "disposeOnDetach")
	tn := s.client.tenant
	m.callFor(s, r, encode(f), func(in cdp.Message) {
		var out contextParam
		if err := in.Result(&out); err != nil {
			m.forwardResult(s, r, in)
			return
		}
		tn.Contexts = append(tn.Contexts, out.ContextID)
		tn.makers[out.ContextID] = s.client
		m.downloads.accept(out.ContextID, nil)
		m.save()
		m.respond(s, r, out)
	})
	return nil
}

func disposeBrowserContext(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	id, err := f.text("browserContextId")
	if err != nil {
		return err
	}
	tn := s.client.tenant
	if !tn.hasContext(id) {
		return &cdp.Error{Code: -32000, Message: "Failed to find context with id " + id}
	}
	m.callFor(s, r, encode(contextParam{id}), func(in cdp.Message) {
		if in.Result(nil) == nil {
			tn.Contexts = slices.DeleteFunc(tn.Contexts, func(x string) bool { return x == id })
			delete(tn.makers, id)
			m.dropWorkers(id)
			m.save()
		}
		m.forwardResult(s, r, in)
	})
	return nil
}

func getBrowserContexts(m *Mux, s *session, r cdp.Request) *cdp.Error {
	m.respond(s, r, struct {
		IDs    []string `json:"browserContextIds"`
		Shared string   `json:"defaultBrowserContextId,omitempty"`
	}{append([]string{}, s.client.tenant.Contexts...), m.defaultContext(s.client.tenant)})
	return nil
}

// ownContext passes a request on that is about the shared context, or about one
// of the owner's.
func forwardOwnContext(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	id, err := f.text("browserContextId")
	if err != nil {
		return err
	}
	home := m.defaultContext(s.client.tenant)
	if id != "" && id != home && !s.client.tenant.hasContext(id) {
		return noContext(id)
	}
	if id == "" && s.browser && s.client.tenant.Incognito {
		f["browserContextId"] = encode(home) // none means the shared one to the browser
	}
	m.forward(s, r, encode(f))
	return nil
}

// privateContext passes a request on that is about one of the owner's browser
// contexts. What it sets in the shared one would be set for all.
func forwardPrivateContext(m *Mux, s *session, r cdp.Request) *cdp.Error {
	return inContext(m, s, r, func() *cdp.Error {
		return notAllowed(r.Method + " would hold for all sessions of the browser; a browser context of its own can have it")
	})
}

// privateContextOrNothing is privateContext for what undoes a thing that cannot
// have been done, or is no harm to leave.
func forwardPrivateContextOrIgnore(m *Mux, s *session, r cdp.Request) *cdp.Error {
	return inContext(m, s, r, func() *cdp.Error { return ignore(m, s, r) })
}

// pageOfPrivateContext passes a request on that is sent to a page and holds for
// more than the page, where the page is in one of the owner's browser contexts.
func forwardPrivatePage(m *Mux, s *session, r cdp.Request) *cdp.Error {
	if s.browser || m.contextOf(s) == m.shared {
		return notAllowed(r.Method + " would hold for pages of all sessions of the browser; a browser context of its own can have it")
	}
	m.forward(s, r, r.Params)
	return nil
}

// contextOf is the browser context of a session's page, also of a frame's or a
// worker's session; the owner's default one where there is none.
func (m *Mux) contextOf(s *session) string {
	for on := s; on != nil; on = on.parent {
		if t := m.targets[on.target]; t != nil && t.ContextID != "" {
			return t.ContextID
		}
	}
	return m.defaultContext(s.client.tenant)
}

func inContext(m *Mux, s *session, r cdp.Request, shared func() *cdp.Error) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	id, err := f.text("browserContextId")
	tn := s.client.tenant
	switch {
	case err != nil:
		return err
	case (id == "" || id == m.defaultContext(tn)) && !tn.Incognito:
		return shared()
	case id == "":
		f["browserContextId"] = encode(m.defaultContext(tn))
	case id != m.defaultContext(tn) && !tn.hasContext(id):
		return noContext(id)
	}
	m.forward(s, r, encode(f))
	return nil
}
