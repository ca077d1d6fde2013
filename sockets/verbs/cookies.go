package verbs

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupState = "Cookies and storage"

// Cookie is a cookie of the browser.
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"` // with a leading dot if subdomains get the cookie too
	Path     string  `json:"path"`
	Expires  float64 `json:"expires"` // seconds since 1970; -1 for a cookie that ends with the browser
	Size     int     `json:"size"`
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	Session  bool    `json:"session"` // the cookie ends with the browser
	SameSite string  `json:"sameSite,omitzero"`
}

// CookiesGetIn is the input of [CookiesGet].
type CookiesGetIn struct {
	URLs []string `json:"urls,omitzero" flag:"url" help:"the URLs whose cookies to list, instead of those of the page and its frames"`
	All  bool     `json:"all,omitzero" help:"list all cookies of the browser"`
}

// CookiesOut lists cookies.
type CookiesOut struct {
	Cookies []Cookie `json:"cookies"`
}

// Text returns a line name=value for each cookie.
func (o CookiesOut) Text() string {
	var all []string
	for _, c := range o.Cookies {
		all = append(all, c.Name+"="+c.Value)
	}
	return strings.Join(all, "\n")
}

// CookiesGet lists the cookies of the page.
var CookiesGet = wire.Verb[CookiesGetIn, CookiesOut]{Spec: wire.Spec{
	Name: "cookies get", Aliases: []string{"cookies"}, Group: groupState, Short: "List the cookies that the page gets",
	Example: "abrowser cookies", ReadOnly: true,
}}

// CookiesSetIn is the input of [CookiesSet].
type CookiesSetIn struct {
	Name     string  `json:"name,omitzero" arg:"0" help:"the cookie's name"`
	Value    string  `json:"value,omitzero" arg:"1" help:"the cookie's value"`
	URL      string  `json:"url,omitzero" help:"the URL that gets the cookie, instead of the page"`
	Domain   string  `json:"domain,omitzero" help:"the domain that gets the cookie"`
	Path     string  `json:"path,omitzero" help:"the path that gets the cookie; the default is /"`
	HTTPOnly bool    `json:"httpOnly,omitzero" help:"hide the cookie from scripts"`
	Secure   bool    `json:"secure,omitzero" help:"send the cookie over HTTPS only"`
	SameSite string  `json:"sameSite,omitzero" enum:"Strict|Lax|None" help:"whether requests from other sites contain the cookie"`
	Expires  float64 `json:"expires,omitzero" help:"when the cookie ends, in seconds since 1970; without it the cookie ends with the browser"`
	Curl     string  `json:"curl,omitzero" file:"in" help:"a file with the cookies to set: a curl command, a Cookie header or a JSON list"`
}

// maxCookie is the size in bytes of the largest cookie that browsers keep. The size is that of the
// name and the value together.
const maxCookie = 4096

// Check returns an error unless the input has either a cookie that a server could set, or a file.
func (in CookiesSetIn) Check() error {
	const hint = "abrowser cookies set theme dark"
	switch {
	case in.Curl == "" && (in.Name == "" || in.Value == ""):
		return wire.Errorf(wire.CodeBadInput, "cookies set needs a name and a value, or --curl FILE").WithHint(hint)
	case in.Curl != "" && in.Name != "":
		return wire.Errorf(wire.CodeBadInput, "cookies set takes a name and a value, or --curl FILE, not both").WithHint(hint)
	case in.Expires < 0:
		return wire.Errorf(wire.CodeBadInput, "expires is %v; it takes seconds since 1970", in.Expires).WithHint(hint)
	case in.Curl == "":
		if err := CheckCookie(in.Name, in.Value); err != nil {
			return err
		}
	}
	return checkCookiePlace(in.URL, in.Domain, in.Path)
}

// CheckCookie returns an error if a cookie cannot have this name and value. The error does not
// contain the value.
func CheckCookie(name, value string) error {
	control := func(r rune) bool { return unicode.IsControl(r) || r == ';' }
	switch {
	case name == "" || strings.TrimSpace(name) != name || strings.ContainsFunc(name, control) || strings.Contains(name, "="):
		return wire.Errorf(wire.CodeBadInput, "%.100q is not the name of a cookie", name).WithHint("abrowser cookies set theme dark")
	case strings.ContainsFunc(value, control):
		return wire.Errorf(wire.CodeBadInput, "the value of the cookie %.100s contains a semicolon or a control character", name).WithHint("encode the value: abrowser cookies set theme a%%3Bb")
	case len(name)+len(value) > maxCookie:
		return wire.Errorf(wire.CodeBadInput, "the cookie %.100s has %d bytes; browsers keep %d at most", name, len(name)+len(value), maxCookie).
			WithHint("abrowser storage local set takes larger values")
	}
	return nil
}

// checkCookiePlace returns an error if one of the parameters is invalid, or if a server at rawURL
// could not set a cookie for the domain. Each of the parameters may be empty.
func checkCookiePlace(rawURL, domain, path string) error {
	host := ""
	if rawURL != "" {
		u, err := url.Parse(rawURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return wire.Errorf(wire.CodeBadInput, "%.100q is not an http or https URL", rawURL).WithHint("abrowser cookies set theme dark --url https://example.com")
		}
		host = strings.ToLower(u.Hostname())
	}
	bare := strings.ToLower(strings.TrimPrefix(domain, "."))
	switch {
	case domain != "" && (bare == "" || len(bare) > 253 || strings.ContainsAny(bare, " /:;,=@?#\"\\<>") || strings.ContainsFunc(bare, unicode.IsControl)):
		return wire.Errorf(wire.CodeBadInput, "%.100q is not a domain", domain).WithHint("abrowser cookies set theme dark --domain example.com")
	case host != "" && domain != "" && host != bare && !strings.HasSuffix(host, "."+bare):
		return wire.Errorf(wire.CodeBadInput, "a cookie of %s cannot have the domain %s", host, domain).WithHint("leave out --domain or --url")
	case path != "" && !strings.HasPrefix(path, "/") || strings.ContainsFunc(path, unicode.IsControl) || strings.Contains(path, ";"):
		return wire.Errorf(wire.CodeBadInput, "%.100q is not the path of a cookie", path).WithHint("abrowser cookies set theme dark --path /")
	}
	return nil
}

// CookiesSetOut is the output of [CookiesSet].
type CookiesSetOut struct {
	Set   bool `json:"set"`
	Count int  `json:"count"` // the number of cookies
}

// CookiesSet sets a cookie, or the cookies in a file.
var CookiesSet = wire.Verb[CookiesSetIn, CookiesSetOut]{Spec: wire.Spec{
	Name: "cookies set", Group: groupState, Short: "Set a cookie, or with --curl those in a file",
	Long:    "Without --url and --domain the cookie is for the page. All sessions that share the browser's logins get it. A file for --curl contains what the network panel of a browser copies as a curl command, a Cookie header, or a JSON list of cookies.",
	Example: "abrowser cookies set theme dark",
}}

// ClearIn is the input of verbs that clear the data of sites.
type ClearIn struct {
	All bool `json:"all,omitzero" help:"clear the data of all sites, for all sessions that share the browser's logins"`
}

// CookiesClearOut is the output of [CookiesClear].
type CookiesClearOut struct {
	Cleared  bool     `json:"cleared"`
	Removed  int      `json:"removed"`           // the number of cookies
	Sites    []string `json:"sites"`             // the sites whose cookies were removed; empty if All was set
	Left     int      `json:"left"`              // the number of cookies of other sites, which were not removed
	Sessions []string `json:"sessions,omitzero"` // with All, the other sessions that had these cookies
}

// Text says how many cookies were removed, and how many cookies of other sites were not.
func (o CookiesClearOut) Text() string {
	text := "removed " + counted(o.Removed, "cookie", "cookies")
	if len(o.Sites) > 0 {
		text += " of " + strings.Join(o.Sites, ", ")
	}
	if o.Left > 0 {
		text += fmt.Sprintf("; left %d of other sites", o.Left)
	}
	return lines(text, labelled("these sessions had them too: ", strings.Join(o.Sessions, ", ")))
}

// CookiesClear removes the cookies of the sites that the session's pages are at.
var CookiesClear = wire.Verb[ClearIn, CookiesClearOut]{Spec: wire.Spec{
	Name: "cookies clear", Group: groupState, Short: "Remove the cookies of the sites that the session's pages are at",
	Long:    "Other sessions that share the browser's logins lose these cookies too. --all removes the cookies of all sites and names these sessions. In an incognito session, which has cookies of its own, all are removed.",
	Example: "abrowser cookies clear", Destructive: true,
}}
