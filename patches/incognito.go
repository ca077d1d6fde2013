package patches

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// An incognito owner has a browser context of its own in the place of the shared
// one: it is what the owner's clients take for the browser's default context. It
// is made on our root and without disposeOnDetach, on disk before anybody uses it,
// and disposed of, with all that is in it, when the owner's session ends.

// home is the browser context that an owner's clients take for the default one.
func (m *Mux) defaultContext(tn *tenant) string {
	if tn.Incognito {
		return tn.Private
	}
	return m.shared
}

// alone reports whether all that is in a browser context is the owner's.
func (tn *tenant) ownsContext(context string) bool {
	return context != "" && (tn.hasContext(context) || context == tn.Private)
}

// Occupied is the error of [Board.Incognito] for a session that has pages which are
// not incognito. Its number is how many.
type SharedTabsError int

// Error says so.
func (n SharedTabsError) Error() string {
	return fmt.Sprintf("%d tabs are in the shared context", int(n))
}

// Incognito makes a session an incognito one; then is called when it has its
// context, or with why it cannot have one.
func (m *Mux) Incognito(name string, then func(error)) {
	tn := m.tenantFor(name)
	if n := len(tn.tabs) + len(tn.Lost); n > 0 && !tn.Incognito {
		then(SharedTabsError(n))
		return
	}
	tn.Incognito = true
	m.createPrivate(tn, then)
}

// seclude sees to it that an incognito owner has its context.
func (m *Mux) createPrivate(tn *tenant, then func(error)) {
	if tn.Private != "" {
		then(nil)
		return
	}
	tn.whenPrivate = append(tn.whenPrivate, then)
	if len(tn.whenPrivate) > 1 {
		return
	}
	m.call("Target.createBrowserContext", nil, "", func(in cdp.Message) {
		var out contextParam
		err := in.Result(&out)
		if err == nil && out.ContextID == "" {
			err = fmt.Errorf("the browser made a context without an id")
		}
		if m.tenants[tn.Name] != tn { // its session ended meanwhile
			if err == nil {
				m.disposeContext(out.ContextID)
			}
			err = errors.New("the session ended")
		} else if err == nil {
			tn.Private = out.ContextID
			m.downloads.accept(tn.Private, nil)
			m.save()
		}
		waiting := tn.whenPrivate
		tn.whenPrivate = nil
		for _, call := range waiting {
			call(err)
		}
	})
}

// dispose ends a browser context, or at least the pages in it.
func (m *Mux) disposeContext(context string) {
	m.call("Target.disposeBrowserContext", encode(contextParam{context}), "", func(in cdp.Message) {
		err := in.Result(nil)
		if err == nil {
			m.dropWorkers(context)
			return
		}
		m.Log.Warn("disposing of a browser context", "error", err)
		for _, t := range m.targets {
			if t.ContextID == context && t.Type == "page" {
				m.call("Target.closeTarget", encode(targetParam{t.TargetID}), "", nil)
			}
		}
	})
}

// disposeEmpty ends browser contexts that no owner has and no page is in: whoever
// made them died before it was noted. In a browser of somebody else's they are not
// ours.
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

// dissolve ends an incognito owner: its contexts go with all that is in them, and
// nothing is known of it afterwards. done gets how many tabs went.
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
