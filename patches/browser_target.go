package patches

import "github.com/abrowser/abrowser/patches/cdp"

// The browser itself is a target, to which a client can attach as it can to a page. For this
// target, Chromium uses a different id on every CDP session that is attached to it. A client that
// asks for the target's info gets the first of these ids. If the client then attaches to the target
// by this id, the attachedToTarget event has the same id, because Puppeteer compares the two. The
// target is the same for all tenants, and a session on it has the rules of a root session.

// browserInfo returns the TargetInfo of the browser's target for clients.
func (m *Mux) browserInfo() rawInfo {
	return rawInfo{encode(struct {
		targetParam
		Type            string `json:"type"`
		Title           string `json:"title"`
		URL             string `json:"url"`
		Attached        bool   `json:"attached"`
		CanAccessOpener bool   `json:"canAccessOpener"`
	}{targetParam{m.browserTarget}, "browser", "", "", true, false})}
}

// isBrowserTarget reports whether id is the id of the browser's target.
func (m *Mux) isBrowserTarget(id string) bool { return id != "" && id == m.browserTarget }

// showsBrowser reports whether the target filter in a request selects the browser's target. The
// first filter entry that matches a target decides whether the target is selected. Without a
// filter, the browser's target is not selected.
func (m *Mux) showsBrowser(f fields) (bool, *cdp.Error) {
	var filter []struct {
		Type    *string
		Exclude bool
	}
	if err := f.read("filter", &filter); err != nil {
		return false, err
	}
	for _, entry := range filter {
		if entry.Type == nil || *entry.Type == "browser" {
			return !entry.Exclude && m.browserTarget != "", nil
		}
	}
	return false, nil
}

// getTargetInfo answers a request about the browser's target. It forwards a request about a target
// of the tenant, and a request without a target id, which is about the target of its session.
func getTargetInfo(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	id, err := f.text("targetId")
	if err != nil {
		return err
	}
	if m.isBrowserTarget(id) {
		m.respond(s, r, infoParams{m.browserInfo()})
		return nil
	}
	return forwardOwnTargetOrNone(m, s, r, f)
}
