package patches

import (
	"strings"

	"github.com/abrowser/abrowser/patches/cdp"
)

// isActivity reports whether an event shows that a page navigates or exchanges data
// with a server. The page's title may then have changed, or a login may have happened.
func isActivity(method string) bool {
	switch method {
	case "Network.requestWillBeSent", "Network.responseReceivedExtraInfo", "Page.frameRequestedNavigation", "Page.frameNavigated", "Page.navigatedWithinDocument":
		return true
	}
	return false
}

// changesCookies reports whether a method concerns cookies or clears storage. Such a
// method may change logins.
func changesCookies(method string) bool {
	domain, name, _ := strings.Cut(method, ".")
	return (domain == "Storage" || domain == "Network") && (strings.Contains(name, "Cookie") || strings.HasPrefix(name, "clear"))
}

// summary describes a tenant's tabs without their URLs, for comparing two moments.
type summary struct{ nextTab, tabs, lost, pageEvents, downloads int }

// summary returns the tenant's present summary.
func (tn *tenant) summary() summary {
	return summary{tn.NextTab, len(tn.tabs), len(tn.Lost), tn.pageEvents, tn.LastDownload}
}

// TakeActivity reports whether, since the last call, a tenant's pages navigated or
// contacted a server, or its clients changed cookies. It also records the present summary,
// because the caller is about to read the tenant's tabs.
func (m *Mux) TakeActivity(name string) bool {
	tn := m.tenants[name]
	if tn == nil {
		return false
	}
	moved, now := tn.activity, tn.summary()
	tn.activity, tn.lastSummary = false, &now
	return moved
}

// unchanged reports whether, since the last [Mux.TakeActivity], the tenant had no activity
// and its summary is the same.
func (tn *tenant) unchanged() bool {
	return !tn.activity && tn.lastSummary != nil && *tn.lastSummary == tn.summary()
}

// enableQuietReplies serves Abrowser.tellQuiet. From then on, a reply to the client has
// the member "quiet" if the tenant is unchanged (see [tenant.unchanged]). The client then
// does not have to query the broker after each of its actions.
func enableQuietReplies(m *Mux, s *session, r cdp.Request) *cdp.Error {
	s.client.quietReplies = true
	m.respond(s, r, none{})
	return nil
}

// expectActivity serves Abrowser.mayLogIn, with which a client announces that its next
// command may set cookies without an event. The request itself counts as activity.
func expectActivity(m *Mux, s *session, r cdp.Request) *cdp.Error {
	s.client.tenant.activity = true
	m.respond(s, r, none{})
	return nil
}

// withQuietMember adds the member "quiet" to a reply. Chromium has no such member.
func withQuietMember(raw []byte) []byte {
	end := len(raw) - 1
	return append(raw[:end:end], `,"quiet":true}`...) // copied, because the next message may follow in the same memory
}
