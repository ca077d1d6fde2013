package patches

import (
	"strings"

	"github.com/abrowser/abrowser/patches/cdp"
)

// moves reports whether an event says that a page goes or went somewhere, asked a server
// for something or was answered: then it may have another title, or have logged in.
func isActivity(method string) bool {
	switch method {
	case "Network.requestWillBeSent", "Network.responseReceivedExtraInfo", "Page.frameRequestedNavigation", "Page.frameNavigated", "Page.navigatedWithinDocument":
		return true
	}
	return false
}

// setsCookies reports whether a method takes part in what is logged in to.
func changesCookies(method string) bool {
	domain, name, _ := strings.Cut(method, ".")
	return (domain == "Storage" || domain == "Network") && (strings.Contains(name, "Cookie") || strings.HasPrefix(name, "clear"))
}

// face is what a list of an owner's tabs tells, but for where these are.
type summary struct{ nextTab, tabs, lost, pageEvents, downloads int }

func (tn *tenant) summary() summary {
	return summary{tn.NextTab, len(tn.tabs), len(tn.Lost), tn.pageEvents, tn.LastDownload}
}

// HasMoved reports whether an owner's pages went somewhere or asked a server, or its
// clients set cookies, since the last time that this was asked. Who asks knows the
// owner's tabs then.
func (m *Mux) TakeActivity(name string) bool {
	tn := m.tenants[name]
	if tn == nil {
		return false
	}
	moved, now := tn.activity, tn.summary()
	tn.activity, tn.lastSummary = false, &now
	return moved
}

// isQuiet reports whether there is nothing to tell of an owner since [Board.HasMoved].
func (tn *tenant) unchanged() bool {
	return !tn.activity && tn.lastSummary != nil && *tn.lastSummary == tn.summary()
}

// tellQuiet has the client's replies say so when there is nothing else to know: it
// acts, and would have to ask after each.
func enableQuietReplies(m *Mux, s *session, r cdp.Request) *cdp.Error {
	s.client.quietReplies = true
	m.respond(s, r, none{})
	return nil
}

// mayLogIn takes the news that what the client asks for next may set cookies by itself.
func expectActivity(m *Mux, s *session, r cdp.Request) *cdp.Error {
	s.client.tenant.activity = true
	m.respond(s, r, none{})
	return nil
}

// withQuiet is a reply that says so. The browser's own never do.
func withQuietMember(raw []byte) []byte {
	end := len(raw) - 1
	return append(raw[:end:end], `,"quiet":true}`...) // a copy: what is behind it in memory may be the next message
}
