package patches

import "github.com/abrowser/abrowser/patches/cdp"

// The browser itself is a target, to which a client can attach like to a page. Chromium gives it
// another id on every CDP session that is attached to it. A client that looks the target up gets the
// first of these ids, and the same id in the event for the session that it then attaches, since
// Puppeteer compares them. The target is the same for all tenants, and a session on it has the
// rules of a root session.

// browserInfo describes the browser's target.
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

// showsBrowser reports whether the target filter of a request selects the browser's target. The
// first entry that matches a target decides. Without a filter, the browser is not selected.
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

// getTargetInfo answers a request about the browser's target, and forwards one about a target of the
// tenant or about the target of its session.
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
