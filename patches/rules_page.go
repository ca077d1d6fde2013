package patches

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/patches/cdp"
)

// navigate passes a navigation on, but for one to the browser's own pages.
func navigate(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	if err := f.refuseBrowserPage(); err != nil {
		return err
	}
	m.forward(s, r, encode(f))
	return nil
}

// noBrowserPage refuses a URL of the browser's own pages: chrome://quit ends the
// browser, others list and close the tabs of all or change its settings.
func (f fields) refuseBrowserPage() *cdp.Error {
	url, err := f.text("url")
	if err == nil && isBrowserPage(url) {
		return notAllowed("the browser's own pages are about all sessions")
	}
	return err
}

// ofBrowser reports whether a URL, read as leniently as Chromium does, is of one
// of the browser's own pages, or of an extension's.
func isBrowserPage(url string) bool {
	url = strings.TrimLeftFunc(url, func(r rune) bool { return r <= ' ' })
	url = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(url)
	scheme, rest, _ := strings.Cut(url, ":")
	switch strings.ToLower(scheme) {
	case "chrome", "chrome-untrusted", "chrome-extension", "chrome-search", "devtools", "isolated-app":
		return true
	case "view-source", "filesystem":
		return isBrowserPage(rest)
	case "about": // is chrome: by another name
		page, _, _ := strings.Cut(rest, "?")
		page, _, _ = strings.Cut(page, "#")
		page = strings.ToLower(strings.TrimSpace(page))
		return page != "blank" && page != "srcdoc" && page != ""
	}
	return false
}

// displayFeatures passes a foldable's screen on, but for one without folds: at
// that Chromium 156 ends (SIGSEGV), with the tabs of all.
func setDisplayFeatures(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
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

// withoutSharedWorkers adds to what a page's session wants to be attached to that
// it is not the service workers of the shared browser context: they would wait
// for it, and with them the pages of all sessions at their site.
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

// inOwnContext reports whether a session is of a page in a browser context of its
// client's own, or of what such a page has brought along.
func (m *Mux) inOwnContext(s *session) bool {
	for ; s != nil; s = s.parent {
		if t := m.targets[s.target]; t != nil {
			return s.client.tenant.ownsContext(t.ContextID)
		}
	}
	return false
}

// workerVersions drops from news of service workers which pages use them: they
// are of all sessions.
func (m *Mux) filterWorkerVersions(s *session, in cdp.Message) json.RawMessage {
	var p struct {
		Versions []map[string]json.RawMessage `json:"versions"`
	}
	if err := in.Params(&p); err != nil {
		return encode(none{})
	}
	for _, version := range p.Versions {
		var users []string
		// A member of another shape is dropped as well.
		_ = json.Unmarshal(version["controlledClients"], &users)
		version["controlledClients"] = encode(slices.DeleteFunc(append([]string{}, users...), func(id string) bool { return !m.owns(s.client.tenant, id) }))
		delete(version, "targetId")
	}
	return encode(p)
}
