package patches

import (
	"slices"

	"github.com/abrowser/abrowser/patches/cdp"
)

// createBrowserContext creates a browser context for the tenant. The Mux sends the request on its
// root session and without disposeOnDetach, so that the context outlives both the client and the
// Mux. If the tenant has a filter, the context uses it, whatever proxy the client has requested.
func createBrowserContext(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	delete(f, "disposeOnDetach")
	tn := s.client.tenant
	options, err := m.filtered(tn)
	if err != nil {
		return &cdp.Error{Code: -32000, Message: err.Error()}
	}
	if options != (contextOptions{}) {
		f["proxyServer"], f["proxyBypassList"] = encode(options.ProxyServer), encode(options.ProxyBypassList)
	}
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

// disposeBrowserContext disposes a browser context that a client of the tenant created.
func disposeBrowserContext(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
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

// getBrowserContexts answers a request with the browser contexts that the tenant's clients created,
// and with the tenant's default context.
func getBrowserContexts(m *Mux, s *session, r cdp.Request) *cdp.Error {
	m.respond(s, r, struct {
		IDs    []string `json:"browserContextIds"`
		Shared string   `json:"defaultBrowserContextId,omitempty"`
	}{append([]string{}, s.client.tenant.Contexts...), m.defaultContext(s.client.tenant)})
	return nil
}

// forwardOwnContext forwards a request for the tenant's default context or for one of the tenant's
// own contexts.
func forwardOwnContext(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	id, err := f.text("browserContextId")
	if err != nil {
		return err
	}
	home := m.defaultContext(s.client.tenant)
	if id != "" && id != home && !s.client.tenant.hasContext(id) {
		return noContext(id)
	}
	if id == "" && s.browser && s.client.tenant.Incognito {
		f["browserContextId"] = encode(home) // the default would be the shared context
	}
	// On a page's session Chromium uses the shared context, even if the page is in another context,
	// and refuses the field browserContextId. So the request is sent on the Mux's root session.
	if context := m.contextOf(s); id == "" && !s.browser && context != m.shared {
		f["browserContextId"] = encode(context)
		m.callFor(s, r, encode(f), func(in cdp.Message) { m.forwardResult(s, r, in) })
		return nil
	}
	m.forward(s, r, encode(f))
	return nil
}

// forwardPrivateContext forwards a request for one of the tenant's own contexts. It refuses a
// request for the shared context, because the request would change a setting of all tenants.
func forwardPrivateContext(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	return inContext(m, s, r, f, func() *cdp.Error {
		return notAllowed(r.Method + " would apply to all sessions of the browser; use it in a browser context of your own")
	})
}

// forwardPrivateContextOrIgnore forwards a request that resets a setting in one of the
// tenant's own contexts. A request for the shared context succeeds without an effect,
// because [forwardPrivateContext] keeps clients from changing the setting there.
func forwardPrivateContextOrIgnore(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	return inContext(m, s, r, f, func() *cdp.Error { return ignore(m, s, r) })
}

// forwardPrivatePage forwards a request on a page in one of the tenant's own contexts. It
// refuses a request on any other session, because the request affects more than its page.
func forwardPrivatePage(m *Mux, s *session, r cdp.Request) *cdp.Error {
	if s.browser || m.contextOf(s) == m.shared {
		return notAllowed(r.Method + " would apply to pages of all sessions of the browser; use it in a browser context of your own")
	}
	m.forward(s, r, r.Params)
	return nil
}

// contextOf returns the browser context of the page to which session s belongs. For a browser-level
// session it returns the tenant's default context.
func (m *Mux) contextOf(s *session) string {
	for on := s; on != nil; on = on.parent {
		if t := m.targets[on.target]; t != nil && t.ContextID != "" {
			return t.ContextID
		}
	}
	return m.defaultContext(s.client.tenant)
}

// inContext forwards a request for one of the tenant's own contexts. For a request for the shared
// context it calls onShared and returns the result.
func inContext(m *Mux, s *session, r cdp.Request, f fields, onShared func() *cdp.Error) *cdp.Error {
	id, err := f.text("browserContextId")
	tn := s.client.tenant
	switch {
	case err != nil:
		return err
	case (id == "" || id == m.defaultContext(tn)) && !tn.Incognito:
		return onShared()
	case id == "":
		f["browserContextId"] = encode(m.defaultContext(tn))
	case id != m.defaultContext(tn) && !tn.hasContext(id):
		return noContext(id)
	}
	m.forward(s, r, encode(f))
	return nil
}
