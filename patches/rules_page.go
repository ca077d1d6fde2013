package patches

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/patches/cdp"
)

// navigate forwards a navigation. It refuses a navigation to the browser's own pages.
func navigate(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	if err := f.refuseBrowserPage(); err != nil {
		return err
	}
	m.forward(s, r, encode(f))
	return nil
}

// refuseBrowserPage returns an error if the field "url" is the URL of a page of the browser
// itself. chrome://quit ends the browser. Other such pages list and close the tabs of all
// tenants, or change settings.
func (f fields) refuseBrowserPage() *cdp.Error {
	url, err := f.text("url")
	if err == nil && isBrowserPage(url) {
		return notAllowed("the browser's own pages affect all sessions")
	}
	return err
}

// isBrowserPage reports whether a URL leads to a page of the browser itself or of an
// extension. It parses the URL as leniently as Chromium.
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

// setDisplayFeatures forwards the emulation of a foldable screen. It refuses an empty list
// of features, because such a list crashes Chromium 156 (SIGSEGV) with the tabs of all
// tenants.
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

// excludeSharedWorkers changes the filter of an auto-attach request on a page of the shared
// context, so that the filter excludes service workers. Otherwise Chromium would pause a new
// service worker for the session s, and all tenants' pages of the worker's site would wait.
func (m *Mux) excludeSharedWorkers(s *session, f fields) *cdp.Error {
	if m.inOwnContext(s) {
		return nil
	}
	filter := []json.RawMessage{
		[]byte(`{"type":"browser","exclude":true}`), []byte(`{"type":"tab","exclude":true}`), []byte(`{}`), // Chromium's default
	}
	if err := f.read("filter", &filter); err != nil {
		return err
	}
	f["filter"] = encode(slices.Insert(filter, 0, json.RawMessage(`{"type":"service_worker","exclude":true}`)))
	return nil
}

// inOwnContext reports whether a session belongs to a page in a browser context that
// the client's tenant owns.
func (m *Mux) inOwnContext(s *session) bool {
	for ; s != nil; s = s.parent {
		if t := m.targets[s.target]; t != nil {
			return s.client.tenant.ownsContext(t.ContextID)
		}
	}
	return false
}

// filterWorkerVersions returns the params of a ServiceWorker.workerVersionUpdated event
// without the ids of other tenants' pages and of the worker's target.
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
