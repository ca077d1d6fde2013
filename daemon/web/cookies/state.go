package cookies

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const hintOpenFirst = "abrowser open the site first; --all includes all sites"

// SaveState returns the cookies and the storage of the sites that the session's pages are at. With
// in.All, and in an incognito session, it returns all cookies.
func SaveState(ctx context.Context, p *direct.Page, in verbs.StateSaveIn) (verbs.StateSaveOut, error) {
	c := logins{p}
	var none verbs.StateSaveOut
	sites, err := c.sites(ctx)
	if err != nil {
		return none, err
	}
	everything := in.All || c.hasOwnLogins()
	if len(sites) == 0 && !everything {
		return none, wire.Errorf(wire.CodeNotFound, "no page of the session is at a site that has cookies").WithHint(hintOpenFirst)
	}
	pages, err := c.pages()
	if err != nil {
		return none, err
	}
	for _, p := range pages {
		p.AwaitCookies()
	}
	var stored struct{ Cookies []storedCookie }
	if err := c.Send("Storage.getCookies", nil, &stored); err != nil {
		return none, err
	}
	state := verbs.State{Cookies: []verbs.StateCookie{}}
	out := verbs.StateSaveOut{Saved: true, Path: in.Path, Origins: []string{}}
	for _, k := range stored.Cookies {
		if !everything && !slices.Contains(sites, siteOf(k.Domain)) {
			out.Left++
			continue
		}
		state.Cookies = append(state.Cookies, verbs.StateCookie{
			Name: k.Name, Value: k.Value, Domain: k.Domain, Path: k.Path, Expires: k.Expires, HTTPOnly: k.HTTPOnly, Secure: k.Secure, SameSite: k.SameSite, Partition: k.Partition,
		})
	}
	areas, err := areasOf(pages)
	if err != nil {
		return none, err
	}
	if state.Origins, err = readOrigins(areas); err != nil {
		return none, err
	}
	for _, o := range state.Origins {
		out.Origins = append(out.Origins, o.Origin)
	}
	out.Cookies = len(state.Cookies)
	out.Content, err = json.Marshal(state)
	return out, err
}

// area holds the two storages that one of the session's pages has for an origin.
type area struct {
	origin         string
	local, session storage
}

// pages returns the session's pages, the command's page first.
func (c logins) pages() ([]*direct.Page, error) {
	others, err := c.Others()
	return append([]*direct.Page{c.Page}, others...), err
}

// areasOf returns the storages of the origins that the pages are at, in the order of the pages. It
// leaves out frames of other sites, because the storage of such a frame is not that of the frame's
// site as a whole: it also depends on the site of the page.
func areasOf(pages []*direct.Page) ([]area, error) {
	var all []area
	for _, p := range pages {
		var tree struct{ FrameTree frameTree }
		if err := p.Send("Page.getFrameTree", nil, &tree); err != nil {
			return nil, err
		}
		for _, f := range tree.FrameTree.list() {
			if siteOfURL(f.SecurityOrigin) == "" || siteOfURL(f.SecurityOrigin) != siteOfURL(p.URL) ||
				slices.ContainsFunc(all, func(a area) bool { return a.origin == f.SecurityOrigin }) {
				continue
			}
			local, err := Local.ofFrame(p, f.ID)
			if err != nil {
				return nil, err
			}
			session, err := Session.ofFrame(p, f.ID)
			if err != nil {
				return nil, err
			}
			all = append(all, area{f.SecurityOrigin, local, session})
		}
	}
	return all, nil
}

// frameTree is a frame and the frames in it that are in the same process, as CDP lists them.
type frameTree struct {
	Frame struct {
		ID             string
		SecurityOrigin string
	}
	ChildFrames []frameTree
}

// list returns the frames of the tree. Each frame comes before the frames inside it.
func (t frameTree) list() []struct{ ID, SecurityOrigin string } {
	all := []struct{ ID, SecurityOrigin string }{{t.Frame.ID, t.Frame.SecurityOrigin}}
	for _, child := range t.ChildFrames {
		all = append(all, child.list()...)
	}
	return all
}

// readOrigins returns the entries of the storages. It leaves out origins that have none.
func readOrigins(areas []area) ([]verbs.StateOrigin, error) {
	all := []verbs.StateOrigin{}
	for _, a := range areas {
		local, err := a.local.entries()
		if err != nil {
			return nil, err
		}
		session, err := a.session.entries()
		if err != nil {
			return nil, err
		}
		if len(local)+len(session) > 0 {
			all = append(all, verbs.StateOrigin{Origin: a.origin, LocalStorage: local, SessionStorage: session})
		}
	}
	return all, nil
}

// LoadState sets the cookies and the storage of the sites that the session's pages are at. With
// in.All, and in an incognito session, it sets those of all sites in the state.
func LoadState(ctx context.Context, p *direct.Page, in verbs.StateLoadIn) (verbs.StateLoadOut, error) {
	c := logins{p}
	var none verbs.StateLoadOut
	own, err := c.sites(ctx)
	if err != nil {
		return none, err
	}
	everything := in.All || c.hasOwnLogins()
	takes := func(site string) bool { return everything || slices.Contains(own, site) }
	out := verbs.StateLoadOut{Loaded: true, Path: in.Path, Sites: []string{}, Origins: []string{}, SkippedOrigins: []string{}}
	params, sites := []map[string]any{}, []string{}
	for _, k := range in.State.Cookies {
		site := siteOf(k.Domain)
		if isPublicSuffix(k.Domain) && strings.HasPrefix(k.Domain, ".") {
			return none, wire.Errorf(wire.CodeBadInput, "the state has a cookie for %s, which has many sites", k.Domain).WithHint("abrowser state save writes such a file")
		}
		sites = append(sites, site)
		if !takes(site) {
			out.Left++
			continue
		}
		out.Sites = append(out.Sites, site)
		if k.Expires <= 0 || k.Expires > float64(time.Now().Unix()) {
			params = append(params, stateParams(k))
		}
	}
	var origins []verbs.StateOrigin
	for _, o := range in.State.Origins {
		o.Origin = strings.TrimSuffix(o.Origin, "/")
		sites = append(sites, siteOfURL(o.Origin))
		if !takes(siteOfURL(o.Origin)) {
			out.SkippedOrigins = append(out.SkippedOrigins, o.Origin)
			continue
		}
		out.Sites = append(out.Sites, siteOfURL(o.Origin))
		origins = append(origins, o)
	}
	if len(sites) > 0 && len(out.Sites) == 0 {
		return none, otherSitesError(own, sites)
	}
	if !c.hasOwnLogins() && in.All {
		if out.Sessions, err = c.sharers(ctx); err != nil {
			return none, err
		}
	}
	if len(params) > 0 {
		if err := c.set(params); err != nil {
			return none, err
		}
	}
	out.Cookies = len(params)
	for _, o := range origins {
		if err := c.restore(o); err != nil {
			return none, err
		}
		out.Origins = append(out.Origins, o.Origin)
	}
	out.Sites = sorted(out.Sites)
	return out, nil
}

func sorted(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

func otherSitesError(own, sites []string) error {
	at := "no page of the session is at a site"
	if len(own) > 0 {
		at = "the session's pages are at " + strings.Join(own, ", ")
	}
	return wire.Errorf(wire.CodeBadInput, "the state is for %s, and %s", strings.Join(sorted(sites), ", "), at).WithHint(hintOpenFirst)
}

// stateParams returns a cookie in the form that Network.setCookies expects. A cookie for a single
// host gets a URL instead of a domain, because CDP would set a cookie with a domain for subdomains
// too.
func stateParams(k verbs.StateCookie) map[string]any {
	p := map[string]any{"name": k.Name, "value": k.Value, "path": k.Path, "httpOnly": k.HTTPOnly, "secure": k.Secure}
	if strings.HasPrefix(k.Domain, ".") {
		p["domain"] = k.Domain
	} else {
		scheme := "http://"
		if k.Secure {
			scheme = "https://"
		}
		p["url"] = scheme + k.Domain + "/"
	}
	if k.Expires > 0 {
		p["expires"] = k.Expires
	}
	if k.SameSite != "" {
		p["sameSite"] = k.SameSite
	}
	var site string
	switch {
	case k.Partition == nil:
	case json.Unmarshal(k.Partition, &site) == nil: // the form that Playwright saves
		if site != "" {
			p["partitionKey"] = map[string]any{"topLevelSite": site, "hasCrossSiteAncestor": false}
		}
	default:
		p["partitionKey"] = k.Partition
	}
	return p
}

// restore sets the entries of an origin's storages. If no page is at the origin, restore opens a
// tab for the origin. It then leaves out the session storage, because a session storage belongs to
// a single tab.
func (c logins) restore(o verbs.StateOrigin) error {
	pages, err := c.pages()
	if err != nil {
		return err
	}
	areas, err := areasOf(pages)
	if err != nil {
		return err
	}
	c.Begun = true
	for _, a := range areas {
		if a.origin == o.Origin {
			return errors.Join(a.local.setAll(o.LocalStorage), a.session.setAll(o.SessionStorage))
		}
	}
	if len(o.SessionStorage) > 0 {
		c.Warn("the session storage of %s is not loaded, since no page is at it", o.Origin)
	}
	if len(o.LocalStorage) == 0 {
		return nil
	}
	return c.AtOrigin(o.Origin, func(p *direct.Page) error {
		s, err := Local.open(p)
		if err != nil {
			return err
		}
		return s.setAll(o.LocalStorage)
	})
}

// setAll sets entries, and returns an error if the browser has not stored them all.
func (s storage) setAll(entries []verbs.StorageEntry) error {
	for _, e := range entries {
		if err := s.call("DOMStorage.setDOMStorageItem", map[string]any{"key": e.Name, "value": e.Value}, nil); err != nil {
			return err
		}
	}
	if len(entries) == 0 {
		return nil
	}
	all, err := s.entries() // the browser reports no error for an entry that does not fit
	if err != nil {
		return err
	}
	stored := map[verbs.StorageEntry]bool{}
	for _, e := range all {
		stored[e] = true
	}
	for _, e := range entries {
		if !stored[e] {
			return wire.Errorf(wire.CodeBadInput, "the browser does not store all entries: the storage of %s is full", originOf(s.url)).WithHint("abrowser storage local clear")
		}
	}
	return nil
}
