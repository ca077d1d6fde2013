// Package cookies serves the verbs for cookies and for the storage of pages. All sessions of a
// browser share both, except incognito sessions. Therefore a command affects only the sites of the
// session's own pages, unless the caller asks for more.
//
// The package sends CDP commands to a page and does not use Playwright. Package web calls it.
package cookies

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/wire"
)

// logins gives a command access to the cookies and the storage that its page uses.
type logins struct{ *direct.Page }

// siteOf returns the site of a host: the registrable domain, such as example.com for
// www.example.com, or the host itself if it has none.
func siteOf(host string) string {
	host = strings.ToLower(strings.Trim(host, "."))
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return strings.Trim(host, "[]")
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host
}

// isPublicSuffix reports whether a domain is one under which anyone can register names, such as
// com or co.uk. Browsers refuse cookies for such a domain.
func isPublicSuffix(domain string) bool {
	domain = strings.ToLower(strings.Trim(domain, "."))
	suffix, icann := publicsuffix.PublicSuffix(domain)
	return suffix == domain && icann && domain != "localhost"
}

// siteOfURL returns the site of an http or https URL, or "" for other URLs, which have no cookies.
func siteOfURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return siteOf(u.Hostname())
}

// SameSite reports whether two http or https URLs are of one site.
func SameSite(a, b string) bool { return siteOfURL(a) != "" && siteOfURL(a) == siteOfURL(b) }

// sites returns the sites that the session's pages are at, in alphabetical order.
func (c logins) sites(ctx context.Context) ([]string, error) {
	tabs, err := c.Tabs.List(ctx)
	if err != nil {
		return nil, err
	}
	all := []string{}
	for _, tab := range tabs {
		if site := siteOfURL(tab.URL); site != "" {
			all = append(all, site)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// hasOwnLogins reports whether no other session has the cookies and the storage of this one.
func (c logins) hasOwnLogins() bool { return c.Mode() == wire.ModeIncognito }

// sharers returns the names of the other sessions that have the same cookies and storage.
func (c logins) sharers(ctx context.Context) ([]string, error) {
	if c.hasOwnLogins() {
		return nil, nil
	}
	tabs, err := c.Broker.AllTabs(ctx)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, tab := range tabs {
		if tab.SessionID != "" && tab.SessionID != c.Name && tab.Mode != wire.ModeIncognito {
			all = append(all, tab.SessionID)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
