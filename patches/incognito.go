package patches

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// An incognito tenant has a private browser context instead of the shared one. Its clients see the
// private context as the browser's default context. The Mux creates the private context on the
// Mux's root session without disposeOnDetach, and saves the context's id before the first use. When
// the tenant ends, the Mux disposes the private context and all other contexts of the tenant.

// defaultContext returns the browser context that the tenant's clients see as the default context.
func (m *Mux) defaultContext(tn *tenant) string {
	if tn.Incognito {
		return tn.Private
	}
	return m.shared
}

// ownsContext reports whether a browser context is the tenant's private context or was
// created by one of its clients.
func (tn *tenant) ownsContext(context string) bool {
	return context != "" && (tn.hasContext(context) || context == tn.Private)
}

// SharedTabsError is the error of [Mux.Incognito] for a tenant that already has tabs and is not
// incognito. Such tabs are normally in the shared context. The value of the error is their number.
type SharedTabsError int

// Error says how many tabs there are, and in which context.
func (n SharedTabsError) Error() string {
	return fmt.Sprintf("%d tabs are in the shared context", int(n))
}

// ErrFiltered is the error of [Mux.Incognito] for a tenant that is incognito with another filter.
var ErrFiltered = errors.New("the session's pages have another filter")

// Incognito makes a tenant incognito. It calls done(nil) when the tenant's private context exists.
// If the browser does not create the context, it calls done() with the error. If the tenant has
// tabs and is not yet incognito, Incognito changes nothing and calls done() with a
// [SharedTabsError]. If the tenant is already incognito with other domains, Incognito changes
// nothing and calls done() with [ErrFiltered].
//
// If domains is not empty, the private context and all other contexts of the tenant use a proxy
// that passes requests to these domains only. Incognito gets the proxy's address from
// [Options.Filter].
func (m *Mux) Incognito(name string, domains []string, done func(error)) {
	tn := m.tenantFor(name)
	n := len(tn.tabs) + len(tn.Lost)
	switch {
	case n > 0 && !tn.Incognito:
		done(SharedTabsError(n))
		return
	case tn.Incognito && (n > 0 || tn.Private != "") && !slices.Equal(tn.Filter.Domains, domains):
		done(ErrFiltered)
		return
	}
	tn.Incognito = true
	if !slices.Equal(tn.Filter.Domains, domains) {
		tn.Filter = Filter{Domains: domains}
	}
	m.createPrivate(tn, done)
}

// contextOptions are parameters of Target.createBrowserContext.
type contextOptions struct {
	ProxyServer     string `json:"proxyServer,omitzero"`
	ProxyBypassList string `json:"proxyBypassList,omitzero"`
}

// filtered returns the parameters with which the tenant's browser contexts are created, and starts
// the tenant's filter, if it has one and the filter is not running.
func (m *Mux) filtered(tn *tenant) (contextOptions, error) {
	if tn.Filter.IsZero() {
		return contextOptions{}, nil
	}
	if tn.Filter.Address == "" {
		if m.Filter == nil {
			return contextOptions{}, errors.New("starting the filter of the session: Options.Filter is not set")
		}
		address, err := m.Filter(tn.Name, tn.Filter.Domains)
		if err != nil {
			return contextOptions{}, fmt.Errorf("starting the filter of the session: %w", err)
		}
		tn.Filter.Address = address
	}
	// Without this entry of the list, requests to this machine would not use the proxy.
	return contextOptions{"http://" + tn.Filter.Address, "<-loopback>"}, nil
}

// Filters returns the filters of the tenants by the name of the tenant.
func (m *Mux) Filters() map[string]Filter {
	all := map[string]Filter{}
	for name, tn := range m.tenants {
		if !tn.Filter.IsZero() {
			all[name] = tn.Filter
		}
	}
	return all
}

// createPrivate creates an incognito tenant's private context unless it exists. It calls done(nil)
// when the context exists, or done() with the error if the browser does not create it.
func (m *Mux) createPrivate(tn *tenant, done func(error)) {
	if tn.Private != "" {
		done(nil)
		return
	}
	tn.whenPrivate = append(tn.whenPrivate, done)
	if len(tn.whenPrivate) > 1 {
		return
	}
	options, err := m.filtered(tn)
	if err != nil {
		m.privateCreated(tn, err)
		return
	}
	var params []byte
	if options != (contextOptions{}) {
		params = encode(options)
	}
	m.call("Target.createBrowserContext", params, "", func(in cdp.Message) {
		var out contextParam
		err := in.Result(&out)
		if err == nil && out.ContextID == "" {
			err = fmt.Errorf("creating a browser context: the reply has no id")
		}
		if m.tenants[tn.Name] != tn { // the tenant ended during the call
			if err == nil {
				m.disposeContext(out.ContextID)
			}
			err = errors.New("creating a browser context: the session ended")
		} else if err == nil {
			tn.Private = out.ContextID
			m.downloads.accept(tn.Private, nil)
			m.save()
		}
		m.privateCreated(tn, err)
	})
}

// privateCreated calls the functions that wait for the tenant's private context.
func (m *Mux) privateCreated(tn *tenant, err error) {
	waiting := tn.whenPrivate
	tn.whenPrivate = nil
	for _, call := range waiting {
		call(err)
	}
}

// disposeContext disposes a browser context. If the browser refuses that, disposeContext closes the
// context's pages.
func (m *Mux) disposeContext(context string) {
	m.call("Target.disposeBrowserContext", encode(contextParam{context}), "", func(in cdp.Message) {
		err := in.Result(nil)
		if err == nil {
			m.dropWorkers(context)
			return
		}
		m.Log.Warn("disposing a browser context", "error", err)
		for _, t := range m.targets {
			if t.ContextID == context && t.Type == "page" {
				m.call("Target.closeTarget", encode(targetParam{t.TargetID}), "", nil)
			}
		}
	})
}

// disposeOrphans disposes those of the given browser contexts that have no tenant and no page. Such
// a context remains if a broker dies after it has created a context and before it has saved the
// context's id. In an external browser these contexts belong to other programs and stay.
func (m *Mux) disposeOrphans(contexts []string) {
	if m.External {
		return
	}
	for _, id := range contexts {
		if m.contextOwner(id) == nil && !m.hasWindow(id) {
			m.disposeContext(id)
		}
	}
}

// disposeTenant disposes all contexts of an incognito tenant with their contents, and forgets the
// tenant. When the tenant's tabs are gone or limit has passed, it calls done() with the number of
// tabs that are gone.
func (m *Mux) disposeTenant(tn *tenant, limit time.Duration, done func(discarded int)) {
	var ids []string
	for _, tab := range tn.sortedTabs() {
		ids = append(ids, tab.Target)
	}
	for _, id := range append(slices.Clone(tn.Contexts), tn.Private) {
		if id != "" {
			m.disposeContext(id)
		}
	}
	m.downloads.dropAll(tn)
	delete(m.tenants, tn.Name)
	m.save()
	m.awaitGone(ids, limit, done)
}
