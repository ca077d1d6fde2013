package web_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// hostURL returns a URL of the site on a host of the test's own, since all tests share the
// browser's cookies and storage.
func hostURL(web *site.Site, host, path string) string {
	return strings.Replace(web.CrossURL(path), "localhost", host+".localhost", 1)
}

// cookieNames returns the names and values of the cookies that cookies get returns, sorted, in one
// line.
func cookieNames(t testing.TB, s *daemontest.Session, in verbs.CookiesGetIn) string {
	t.Helper()
	var all []string
	for _, c := range do(t, s, verbs.CookiesGet, in).Cookies {
		all = append(all, c.Name+"="+c.Value)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestCookiesSetAndGet(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	fails(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: "a", Value: "1"}, wire.CodeBadInput) // about:blank cannot have cookies
	open(t, s, hostURL(web, "cookies-set", "/page/one"))
	if got := do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: "a", Value: "1"}); !got.Set || got.Count != 1 {
		t.Errorf("set answers %+v", got)
	}
	do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: "b", Value: "2", Path: "/page", HTTPOnly: true, SameSite: "Strict", Expires: 1999999999})
	do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: "c", Value: "3", Path: "/elsewhere"})
	do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: "d", Value: "4", URL: hostURL(web, "sub.cookies-set", "/")})
	do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: "e", Value: "5", Domain: ".cookies-set.localhost"})
	all := do(t, s, verbs.CookiesGet, verbs.CookiesGetIn{}).Cookies
	slices.SortFunc(all, func(a, b verbs.Cookie) int { return strings.Compare(a.Name, b.Name) })
	for i := range all {
		if all[i].Expires > 0 {
			all[i].Expires = 1
		}
	}
	want := []verbs.Cookie{
		{Name: "a", Value: "1", Domain: "cookies-set.localhost", Path: "/", Expires: -1, Size: 2, Session: true},
		{Name: "b", Value: "2", Domain: "cookies-set.localhost", Path: "/page", Expires: 1, Size: 2, HTTPOnly: true, SameSite: "Strict"},
		{Name: "e", Value: "5", Domain: ".cookies-set.localhost", Path: "/", Expires: -1, Size: 2, Session: true},
	}
	if !slices.Equal(all, want) {
		t.Errorf("the cookies are %+v, want %+v", all, want)
	}
	if got := eval(t, s, "document.cookie"); got != `"a=1; e=5"` {
		t.Errorf("the page sees %s", got)
	}
	if got := cookieNames(t, s, verbs.CookiesGetIn{URLs: []string{hostURL(web, "sub.cookies-set", "/")}}); got != "d=4 e=5" {
		t.Errorf("the cookies of the subdomain are %s", got)
	}
	if got := cookieNames(t, s, verbs.CookiesGetIn{All: true}); !strings.Contains(got, "c=3") {
		t.Errorf("all cookies are %s", got)
	}
}

// The cookies of the page's frames are listed too.
func TestCookiesOfFrames(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, hostURL(web, "cookies-outer", "/page/one"))
	do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: "inner", Value: "1", URL: hostURL(web, "cookies-inner", "/")})
	if got := cookieNames(t, s, verbs.CookiesGetIn{}); got != "" {
		t.Errorf("without a frame the cookies are %s", got)
	}
	eval(t, s, "new Promise(done => { const f = document.createElement('iframe'); f.onload = () => done(1); f.src = '"+hostURL(web, "cookies-inner", "/page/in")+"'; document.body.append(f) })")
	if got := cookieNames(t, s, verbs.CookiesGetIn{}); got != "inner=1" {
		t.Errorf("with a frame the cookies are %s", got)
	}
}

// A cookie that no server could set is refused, and nothing is set.
func TestCookiesSetRefuses(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, hostURL(web, "cookies-bad", "/page/one"))
	file := filepath.Join(t.TempDir(), "cookies")
	write := func(content string) string {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	good := verbs.CookiesSetIn{Name: "a", Value: "secret"}
	for name, change := range map[string]func(*verbs.CookiesSetIn){
		"no name":                 func(in *verbs.CookiesSetIn) { in.Name = "" },
		"no value":                func(in *verbs.CookiesSetIn) { in.Value = "" },
		"a name with =":           func(in *verbs.CookiesSetIn) { in.Name = "a=b" },
		"a value with a line":     func(in *verbs.CookiesSetIn) { in.Value = "secret\r\nSet-Cookie: b=1" },
		"a value with a ;":        func(in *verbs.CookiesSetIn) { in.Value = "secret; domain=x" },
		"too large":               func(in *verbs.CookiesSetIn) { in.Value = strings.Repeat("secret", 1000) },
		"another domain":          func(in *verbs.CookiesSetIn) { in.URL, in.Domain = "https://one.example/", "two.example" },
		"a parent domain's end":   func(in *verbs.CookiesSetIn) { in.URL, in.Domain = "https://badone.example/", "one.example" },
		"a top-level domain":      func(in *verbs.CookiesSetIn) { in.Domain = "co.uk" },
		"a domain with a path":    func(in *verbs.CookiesSetIn) { in.Domain = "one.example/x" },
		"a URL of another scheme": func(in *verbs.CookiesSetIn) { in.URL = "file:///etc/passwd" },
		"a relative path":         func(in *verbs.CookiesSetIn) { in.Path = "x" },
		"a time before 1970":      func(in *verbs.CookiesSetIn) { in.Expires = -5 },
		"an unknown SameSite":     func(in *verbs.CookiesSetIn) { in.SameSite = "Sometimes" },
		"a secure prefix":         func(in *verbs.CookiesSetIn) { in.Name, in.URL = "__Secure-a", "http://one.example/" },
		"a name and a file":       func(in *verbs.CookiesSetIn) { in.Curl = write("a=1") },
		"a missing file":          func(in *verbs.CookiesSetIn) { *in = verbs.CookiesSetIn{Curl: file + "-missing"} },
		"a directory":             func(in *verbs.CookiesSetIn) { *in = verbs.CookiesSetIn{Curl: t.TempDir()} },
		"a file without cookies":  func(in *verbs.CookiesSetIn) { *in = verbs.CookiesSetIn{Curl: write("curl https://x.example")} },
		"one good, one bad": func(in *verbs.CookiesSetIn) {
			*in = verbs.CookiesSetIn{Curl: write(`[{"name":"good","value":"1"},{"name":"__Host-bad","value":"1","domain":"one.example"}]`)}
		},
	} {
		in := good
		change(&in)
		if err := fails(t, s, verbs.CookiesSet, in, wire.CodeBadInput); strings.Contains(err.Message, "secret") {
			t.Errorf("%s: the error contains the value: %v", name, err)
		}
	}
	if err := os.WriteFile(file, make([]byte, 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Curl: file}, wire.CodeTooLarge)
	fails(t, s, verbs.CookiesGet, verbs.CookiesGetIn{URLs: []string{"nowhere"}}, wire.CodeBadInput)
	if got := cookieNames(t, s, verbs.CookiesGetIn{}); got != "" {
		t.Errorf("these cookies were set: %s", got)
	}
}

// The cookies of a curl command are set for its URL, unless the caller names another domain.
func TestCookiesFromCurl(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, hostURL(web, "cookies-curl", "/page/one"))
	file := filepath.Join(t.TempDir(), "curl")
	if err := os.WriteFile(file, []byte("curl '"+hostURL(web, "curl-of", "/page/two")+"' -H 'Cookie: a=1; b=2'"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Curl: file}); got.Count != 2 {
		t.Errorf("set answers %+v", got)
	}
	if got := cookieNames(t, s, verbs.CookiesGetIn{}); got != "" {
		t.Errorf("the page has %s", got)
	}
	if got := cookieNames(t, s, verbs.CookiesGetIn{URLs: []string{hostURL(web, "curl-of", "/")}}); got != "a=1 b=2" {
		t.Errorf("the URL of the command has %s", got)
	}
	_, warnings, err := ask(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Curl: file, Domain: "curl-by.localhost"})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "curl-by.localhost") {
		t.Errorf("set for another site = %v, %q", err, warnings)
	}
	if got := cookieNames(t, s, verbs.CookiesGetIn{URLs: []string{hostURL(web, "curl-by", "/")}}); got != "a=1 b=2" {
		t.Errorf("the domain has %s", got)
	}
}

// Only the cookies of the sites of the session's own pages are removed.
func TestCookiesClear(t *testing.T) {
	t.Parallel()
	s, other, web := home.Start(t), home.Start(t), site.Start(t)
	open(t, s, hostURL(web, "clear-mine", "/page/one"))
	open(t, other, hostURL(web, "clear-other", "/page/one"))
	do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: "a", Value: "1"})
	do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: "b", Value: "2", Domain: "clear-mine.localhost", Path: "/elsewhere"})
	do(t, s, verbs.TabNew, verbs.TabNewIn{URL: hostURL(web, "clear-second", "/page/two")})
	do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: "c", Value: "3"})
	do(t, other, verbs.CookiesSet, verbs.CookiesSetIn{Name: "d", Value: "4"})
	out := do(t, s, verbs.CookiesClear, verbs.ClearIn{})
	if !out.Cleared || out.Removed != 3 || out.Left < 1 || strings.Join(out.Sites, " ") != "clear-mine.localhost clear-second.localhost" || out.Sessions != nil {
		t.Errorf("clear answers %+v", out)
	}
	for _, host := range []string{"clear-mine", "clear-second"} {
		if got := cookieNames(t, s, verbs.CookiesGetIn{URLs: []string{hostURL(web, host, "/"), hostURL(web, host, "/elsewhere")}}); got != "" {
			t.Errorf("%s still has %s", host, got)
		}
	}
	if got := cookieNames(t, other, verbs.CookiesGetIn{}); got != "d=4" {
		t.Errorf("the other session has %q", got)
	}
}
