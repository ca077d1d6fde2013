package cookies

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/daemon/web/cookiefile"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// storedCookie is a cookie as the browser lists it.
type storedCookie struct {
	verbs.Cookie
	Partition json.RawMessage `json:"partitionKey,omitempty"`
}

// CheckGet returns an error if a URL of the input has no cookies.
func CheckGet(in verbs.CookiesGetIn) error {
	for _, given := range in.URLs {
		if siteOfURL(given) == "" {
			return wire.Errorf(wire.CodeBadInput, "%.100q is not an http or https URL", given).WithHint("abrowser cookies get --url https://example.com")
		}
	}
	return nil
}

// Get lists the cookies of the page and its frames, the cookies of given URLs, or all cookies.
func Get(_ context.Context, c *direct.Page, in verbs.CookiesGetIn) (verbs.CookiesOut, error) {
	c.AwaitCookies()
	out := struct{ Cookies []verbs.Cookie }{[]verbs.Cookie{}}
	var err error
	switch {
	case in.All:
		err = c.Send("Storage.getCookies", nil, &out)
	case len(in.URLs) > 0:
		err = c.Send("Network.getCookies", map[string]any{"urls": in.URLs}, &out)
	default:
		hasNone := func(at string) bool { return siteOfURL(at) == "" }
		err = c.Send("Network.getCookies", map[string]any{"urls": slices.DeleteFunc(append([]string{}, c.Frames...), hasNone)}, &out)
	}
	return verbs.CookiesOut{Cookies: out.Cookies}, err
}

// newCookies returns the cookies to set, and the URL of the site that they are for. If the URL is
// empty, the cookies either have domains or are for the page of the command.
func newCookies(in verbs.CookiesSetIn) ([]cookiefile.Cookie, string, error) {
	all, at := []cookiefile.Cookie{{Name: in.Name, Value: in.Value}}, ""
	if in.Curl != "" {
		content, err := daemon.ReadFile(in.Curl, cookiefile.MaxSize)
		if err != nil {
			return nil, "", err
		}
		if all, at, err = cookiefile.Parse(content); err != nil {
			return nil, "", err
		}
	}
	if in.URL != "" || in.Domain != "" {
		at = in.URL
	}
	for i := range all {
		c := &all[i]
		if in.Domain != "" {
			c.Domain = in.Domain
		}
		if in.Path != "" {
			c.Path = in.Path
		}
		if in.SameSite != "" {
			c.SameSite = in.SameSite
		}
		if in.Expires != 0 {
			c.Expires = in.Expires
		}
		c.HTTPOnly, c.Secure = c.HTTPOnly || in.HTTPOnly, c.Secure || in.Secure
		if err := verbs.CheckCookie(c.Name, c.Value); err != nil {
			return nil, "", err
		}
		if isPublicSuffix(c.Domain) {
			return nil, "", wire.Errorf(wire.CodeBadInput, "%s has many sites; browsers keep no cookie for all of them", c.Domain).WithHint("abrowser cookies set theme dark --domain example.com")
		}
	}
	return all, at, nil
}

// CheckSet returns an error if the browser would not keep the cookies.
func CheckSet(in verbs.CookiesSetIn) error {
	_, _, err := newCookies(in)
	return err
}

// Set sets a cookie, or the cookies in a file.
func Set(ctx context.Context, p *direct.Page, in verbs.CookiesSetIn) (verbs.CookiesSetOut, error) {
	c := logins{p}
	all, at, err := newCookies(in)
	if err != nil {
		return verbs.CookiesSetOut{}, err
	}
	if at == "" {
		at = c.URL
	}
	var params []map[string]any
	for _, n := range all {
		p, err := cookieParams(n, at)
		if err != nil {
			return verbs.CookiesSetOut{}, err
		}
		params = append(params, p)
	}
	if err := c.set(params); err != nil {
		return verbs.CookiesSetOut{}, err
	}
	return verbs.CookiesSetOut{Set: true, Count: len(params)}, c.warnOfOtherSites(ctx, all)
}

// set sets all cookies, or none if the browser refuses one of them.
func (c logins) set(params []map[string]any) error {
	c.Begun = true
	err := c.Send("Network.setCookies", map[string]any{"cookies": params}, nil)
	if refused := (*cdp.Error)(nil); errors.As(err, &refused) {
		c.Begun = false
		return wire.Errorf(wire.CodeBadInput, "the browser refuses a cookie: %s", refused.Message).WithHint("abrowser help cookies set")
	}
	return err
}

// cookieParams returns a cookie in the form that Network.setCookies expects. A cookie with a domain
// is set for that domain, and a cookie without one for pageURL.
func cookieParams(n cookiefile.Cookie, pageURL string) (map[string]any, error) {
	p := map[string]any{"name": n.Name, "value": n.Value, "path": "/"}
	switch {
	case n.Domain != "":
		p["domain"] = n.Domain
	case siteOfURL(pageURL) != "":
		p["url"] = pageURL
	default:
		return nil, wire.Errorf(wire.CodeBadInput, "the page %.100s has no cookies", pageURL).WithHint("abrowser cookies set theme dark --url https://example.com")
	}
	if n.Path != "" {
		p["path"] = n.Path
	}
	if n.Expires > 0 {
		p["expires"] = n.Expires
	}
	if n.SameSite != "" {
		p["sameSite"] = n.SameSite
	}
	if n.HTTPOnly {
		p["httpOnly"] = true
	}
	if u, err := url.Parse(pageURL); n.Secure || n.Domain == "" && err == nil && u.Scheme == "https" && n.SameSite == "None" {
		p["secure"] = true
	}
	return p, nil
}

// warnOfOtherSites warns if the command has set cookies for a domain at which the session has no
// page, because other sessions have these cookies too.
func (c logins) warnOfOtherSites(ctx context.Context, set []cookiefile.Cookie) error {
	if c.hasOwnLogins() {
		return nil
	}
	sites, err := c.sites(ctx)
	if err != nil {
		return err
	}
	var others []string
	for _, n := range set {
		if site := siteOf(n.Domain); n.Domain != "" && !slices.Contains(sites, site) && !slices.Contains(others, site) {
			others = append(others, site)
		}
	}
	if len(others) > 0 {
		c.Warn("no page of the session is at %s; the sessions that share the browser's logins have these cookies too", strings.Join(others, ", "))
	}
	return nil
}

// Clear removes cookies one by one. Playwright instead removes all cookies, and then sets those
// again that are to stay. In the meantime, the other sessions would have no logins.
func Clear(ctx context.Context, p *direct.Page, in verbs.ClearIn) (verbs.CookiesClearOut, error) {
	c := logins{p}
	out := verbs.CookiesClearOut{Cleared: true, Sites: []string{}}
	c.AwaitCookies()
	var stored struct{ Cookies []storedCookie }
	if err := c.Send("Storage.getCookies", nil, &stored); err != nil {
		return verbs.CookiesClearOut{}, err
	}
	if in.All || c.hasOwnLogins() {
		sessions, err := c.sharers(ctx)
		if err != nil {
			return verbs.CookiesClearOut{}, err
		}
		out.Sessions = sessions
		out.Removed = len(stored.Cookies)
		c.Begun = true
		return out, c.Send("Storage.clearCookies", nil, nil)
	}
	var err error
	if out.Sites, err = c.sites(ctx); err != nil {
		return verbs.CookiesClearOut{}, err
	}
	for _, k := range stored.Cookies {
		if !slices.Contains(out.Sites, siteOf(k.Domain)) {
			out.Left++
			continue
		}
		params := map[string]any{"name": k.Name, "domain": k.Domain, "path": k.Path}
		if k.Partition != nil {
			params["partitionKey"] = k.Partition
		}
		c.Begun = true
		if err := c.Send("Network.deleteCookies", params, nil); err != nil {
			return verbs.CookiesClearOut{}, err
		}
		out.Removed++
	}
	return out, nil
}
