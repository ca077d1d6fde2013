package patches

import "strings"

// moves reports whether an event says that a page went somewhere, asked a server for
// something or was answered: then it may have another title, or have logged in.
func moves(method string) bool {
	switch method {
	case "Network.requestWillBeSent", "Network.responseReceivedExtraInfo", "Page.frameNavigated", "Page.navigatedWithinDocument":
		return true
	}
	return false
}

// setsCookies reports whether a method takes part in what is logged in to.
func setsCookies(method string) bool {
	domain, name, _ := strings.Cut(method, ".")
	return (domain == "Storage" || domain == "Network") && (strings.Contains(name, "Cookie") || strings.HasPrefix(name, "clear"))
}

// HasMoved reports whether an owner's pages went somewhere or asked a server, or its
// clients set cookies, since the last time that this was asked.
func (b *Board) HasMoved(name string) bool {
	o := b.owners[name]
	if o == nil {
		return false
	}
	moved := o.moved
	o.moved = false
	return moved
}
