// Package domains reads lists of allowed domains and says which hosts they contain.
package domains

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// List is a list of domains in canonical form: see [Normalize]. An entry is the name of a host, such
// as example.com, an IP address, or "*." and a name, which stands for the host of that name and all
// hosts below it. An empty list contains no host.
type List []string

// Normalize returns a list in canonical form: in lower case, sorted, and without duplicates. It
// returns [wire.CodeBadInput] for an entry that is not a domain.
func Normalize(given []string) (List, error) {
	var all List
	for _, entry := range given {
		domain := canonical(entry)
		name, below := strings.CutPrefix(domain, "*.")
		if _, err := netip.ParseAddr(name); !isDomain(name) || below && err == nil {
			return nil, wire.Errorf(wire.CodeBadInput, "%q is not a domain", entry).
				WithHint("--allowed-domains takes hosts without a scheme, a port or a path: example.com,*.example.org")
		}
		all = append(all, domain)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// canonical returns the canonical form of a host. A dot at the end of a name is not a part of it.
func canonical(host string) string {
	host = strings.ToLower(strings.TrimSpace(host))
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	return strings.TrimSuffix(host, ".")
}

func isDomain(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	last := name[strings.LastIndex(name, ".")+1:]
	if strings.Trim(last, "0123456789") == "" {
		return false // for browsers, all of it is an IP address, in an unusual form
	}
	return len(name) <= 253 && !slices.ContainsFunc(strings.Split(name, "."), func(label string) bool {
		return label == "" || len(label) > 63 || strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
		})
	})
}

// Allows reports whether the list contains a host. The host has no port.
func (l List) Allows(host string) bool {
	host = canonical(host)
	_, notIP := netip.ParseAddr(host)
	return host != "" && slices.ContainsFunc(l, func(domain string) bool {
		if below, ok := strings.CutPrefix(domain, "*."); ok {
			return host == below || notIP != nil && strings.HasSuffix(host, "."+below)
		}
		return host == domain
	})
}

// Check returns [wire.CodeDenied] for a URL that a session with this list may not open. A session
// without a list may open every URL. URLs without a host are allowed if they need no network and read
// no file, as about:blank and data: do.
func (l List) Check(address string) error {
	if len(l) == 0 {
		return nil
	}
	to, err := url.Parse(address)
	if err != nil {
		return wire.Errorf(wire.CodeBadInput, "the URL is invalid")
	}
	switch to.Scheme {
	case "about", "data", "blob":
		return nil
	case "http", "https":
		if l.Allows(to.Hostname()) {
			return nil
		}
		return wire.Errorf(wire.CodeDenied, "%s is not among the allowed domains: %s", to.Hostname(), strings.Join(l, ", ")).
			WithHint("a session with other domains needs another name: abrowser --session NAME --allowed-domains %s open", to.Hostname())
	}
	return wire.Errorf(wire.CodeDenied, "a session with allowed domains does not open %s: URLs", to.Scheme).WithHint("leave --allowed-domains out")
}
