package patches

import (
	"strings"

	"github.com/abrowser/abrowser/patches/cdp"
)

// moves reports whether an event says that a page goes or went somewhere, asked a server
// for something or was answered: then it may have another title, or have logged in.
func moves(method string) bool {
	switch method {
	case "Network.requestWillBeSent", "Network.responseReceivedExtraInfo", "Page.frameRequestedNavigation", "Page.frameNavigated", "Page.navigatedWithinDocument":
		return true
	}
	return false
}

// setsCookies reports whether a method takes part in what is logged in to.
func setsCookies(method string) bool {
	domain, name, _ := strings.Cut(method, ".")
	return (domain == "Storage" || domain == "Network") && (strings.Contains(name, "Cookie") || strings.HasPrefix(name, "clear"))
}

// face is what a list of an owner's tabs tells, but for where these are.
type face struct{ next, tabs, lost, told, downloads int }

func (o *owner) face() face {
	return face{o.NextTab, len(o.tabs), len(o.Lost), o.told, o.LastDownload}
}

// HasMoved reports whether an owner's pages went somewhere or asked a server, or its
// clients set cookies, since the last time that this was asked. Who asks knows the
// owner's tabs then.
func (b *Board) HasMoved(name string) bool {
	o := b.owners[name]
	if o == nil {
		return false
	}
	moved, now := o.moved, o.face()
	o.moved, o.known = false, &now
	return moved
}

// isQuiet reports whether there is nothing to tell of an owner since [Board.HasMoved].
func (o *owner) isQuiet() bool { return !o.moved && o.known != nil && *o.known == o.face() }

// tellQuiet has the client's replies say so when there is nothing else to know: it
// acts, and would have to ask after each.
func tellQuiet(b *Board, s *session, r cdp.Request) *cdp.Error {
	s.client.quiet = true
	b.done(s, r, none{})
	return nil
}

// mayLogIn takes the news that what the client asks for next may set cookies by itself.
func mayLogIn(b *Board, s *session, r cdp.Request) *cdp.Error {
	s.client.owner.moved = true
	b.done(s, r, none{})
	return nil
}

// withQuiet is a reply that says so. The browser's own never do.
func withQuiet(raw []byte) []byte {
	end := len(raw) - 1
	return append(raw[:end:end], `,"quiet":true}`...) // a copy: what is behind it in memory may be the next message
}
