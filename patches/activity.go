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

// changesCookies reports whether a method reads or changes cookies, or clears storage. Such a
// method may change logins.
func changesCookies(method string) bool {
	domain, name, _ := strings.Cut(method, ".")
	return (domain == "Storage" || domain == "Network") && (strings.Contains(name, "Cookie") || strings.HasPrefix(name, "clear"))
}

// summary holds counters of a tenant's tabs, page events ([isPageEvent]) and downloads. If two
// summaries of a tenant are equal, then in the time between them no tab was opened or closed, no
// page event came and no download began.
type summary struct{ nextTab, tabs, lost, pageEvents, downloads int }

// summary returns the tenant's present summary.
func (tn *tenant) summary() summary {
	return summary{tn.NextTab, len(tn.tabs), len(tn.Lost), tn.pageEvents, tn.LastDownload}
}

// TakeActivity reports whether one of these happened since its last call: a page of the tenant
// navigated or contacted a server, or a client of the tenant may have changed cookies. The caller
// then reads the tenant's tabs, so TakeActivity also records the present summary for
// [tenant.unchanged].
func (m *Mux) TakeActivity(name string) bool {
	tn := m.tenants[name]
	if tn == nil {
		return false
	}
	moved, now := tn.activity, tn.summary()
	tn.activity, tn.lastSummary = false, &now
	return moved
}

// unchanged reports whether the tenant has had no activity since the last call of
// [Mux.TakeActivity], and still has the summary that this call recorded.
func (tn *tenant) unchanged() bool {
	return !tn.activity && tn.lastSummary != nil && *tn.lastSummary == tn.summary()
}

// enableQuietReplies serves Abrowser.tellQuiet. After this request, the Mux adds the member "quiet"
// to each reply of the browser that it forwards to the client while the tenant is unchanged (see
// [tenant.unchanged]). If the reply to an action has this member, the client does not have to ask
// the broker for the tenant's tabs.
func enableQuietReplies(m *Mux, s *session, r cdp.Request) *cdp.Error {
	s.client.quietReplies = true
	m.respond(s, r, none{})
	return nil
}

// expectActivity serves Abrowser.mayLogIn. A client sends this request before it runs a script that
// may set cookies, because the browser sends no event about such cookies. So the Mux records the
// request itself as activity.
func expectActivity(m *Mux, s *session, r cdp.Request) *cdp.Error {
	s.client.tenant.activity = true
	m.respond(s, r, none{})
	return nil
}

// withQuietMember adds the member "quiet", which is not part of CDP, to a reply.
func withQuietMember(raw []byte) []byte {
	end := len(raw) - 1
	// append must copy raw, because the memory after raw may hold the next message.
	return append(raw[:end:end], `,"quiet":true}`...)
}
