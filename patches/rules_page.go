package patches

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/patches/cdp"
)

// navigate forwards Page.navigate. It refuses a navigation to a page of the browser itself.
func navigate(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	if err := f.refuseBrowserPage(); err != nil {
		return err
	}
	m.forward(s, r, encode(f))
	return nil
}

// refuseBrowserPage returns an error if the field "url" is the URL of a page of the browser itself.
// chrome://quit ends the browser. Other pages of the browser list and close the tabs of all
// tenants, or change settings.
func (f fields) refuseBrowserPage() *cdp.Error {
	url, err := f.text("url")
	if err == nil && isBrowserPage(url) {
		return notAllowed("the browser's own pages affect all sessions")
	}
	return err
}

// isBrowserPage reports whether a URL leads to a page of the browser itself or of an extension.
// Like Chromium, it ignores control characters and spaces at the beginning of the URL, tabs and
// newlines anywhere in it, and the case of the scheme.
func isBrowserPage(url string) bool {
	url = strings.TrimLeftFunc(url, func(r rune) bool { return r <= ' ' })
	url = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(url)
	scheme, rest, _ := strings.Cut(url, ":")
	switch strings.ToLower(scheme) {
	case "chrome", "chrome-untrusted", "chrome-extension", "chrome-search", "devtools", "isolated-app":
		return true
	case "view-source", "filesystem":
		return isBrowserPage(rest)
	case "about": // Chromium maps about: URLs to chrome: URLs
		page, _, _ := strings.Cut(rest, "?")
		page, _, _ = strings.Cut(page, "#")
		page = strings.ToLower(strings.TrimSpace(page))
		return page != "blank" && page != "srcdoc" && page != ""
	}
	return false
}

// setDisplayFeatures forwards a request that emulates a foldable screen. It refuses an empty list
// of features, because an empty list crashes Chromium 156 (SIGSEGV), and the tabs of all tenants
// with it.
func setDisplayFeatures(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	var folds []json.RawMessage
	if err := f.read("features", &folds); err != nil {
		return err
	}
	if len(folds) == 0 {
		return badParams("features")
	}
	m.forward(s, r, encode(f))
	return nil
}

// restoreSize ends the emulated size of pages on sessions that are about to be detached. Chromium 148
// otherwise leaves the page at this size, and the owner's other clients and a person who reviews the
// page see it so.
func (m *Mux) restoreSize(sessions []*session) {
	for _, s := range sessions {
		s.resized = false
		m.noteResize(s)
		m.call("Emulation.clearDeviceMetricsOverride", nil, s.id, nil)
	}
}

// resizedBelow returns the sessions on which the client has emulated another size of the page: s and
// the sessions below it.
func (s *session) resizedBelow() (all []*session) {
	if s.resized {
		all = append(all, s)
	}
	for _, child := range s.children {
		all = append(all, child.resizedBelow()...)
	}
	return all
}

// excludeSharedWorkers changes an auto-attach request on a page of the shared context, so that its
// filter excludes service workers. Otherwise Chromium would pause a new service worker for the
// session s, and the pages of all tenants at the worker's site would wait.
func (m *Mux) excludeSharedWorkers(s *session, f fields) *cdp.Error {
	if m.inOwnContext(s) {
		return nil
	}
	filter := []json.RawMessage{
		// Chromium uses this filter if a request has none.
		[]byte(`{"type":"browser","exclude":true}`), []byte(`{"type":"tab","exclude":true}`), []byte(`{}`),
	}
	if err := f.read("filter", &filter); err != nil {
		return err
	}
	f["filter"] = encode(slices.Insert(filter, 0, json.RawMessage(`{"type":"service_worker","exclude":true}`)))
	return nil
}

// inOwnContext reports whether a session belongs to a page in one of the tenant's own contexts.
func (m *Mux) inOwnContext(s *session) bool {
	for ; s != nil; s = s.parent {
		if t := m.targets[s.target]; t != nil {
			return s.client.tenant.ownsContext(t.ContextID)
		}
	}
	return false
}

// filterWorkerVersions returns the params of a ServiceWorker.workerVersionUpdated event without two
// things: the ids of other tenants' pages, and the id of the worker's target.
func (m *Mux) filterWorkerVersions(s *session, in cdp.Message) json.RawMessage {
	var p struct {
		Versions []map[string]json.RawMessage `json:"versions"`
	}
	if err := in.Params(&p); err != nil {
		return encode(none{})
	}
	for _, version := range p.Versions {
		var users []string
		// A member that is not a list of ids counts as empty.
		_ = json.Unmarshal(version["controlledClients"], &users)
		version["controlledClients"] = encode(slices.DeleteFunc(append([]string{}, users...), func(id string) bool { return !m.owns(s.client.tenant, id) }))
		delete(version, "targetId")
	}
	return encode(p)
}
