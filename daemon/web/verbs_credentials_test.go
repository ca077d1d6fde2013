package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// authorization opens a URL, and returns the Authorization header that the server got.
func authorization(t testing.TB, s *daemontest.Session, url string) string {
	t.Helper()
	open(t, s, url)
	return eval(t, s, `JSON.parse(document.body.innerText).Authorization ?? null`)
}

// guarded returns the title of the page at a URL, or "" if the server demands a password that the
// session does not have.
func guarded(t testing.TB, s *daemontest.Session, url string) string {
	t.Helper()
	out, _, err := ask(t, s, verbs.Open, verbs.OpenIn{URL: url})
	if err != nil && !strings.Contains(err.Error(), "ERR_INVALID_AUTH_CREDENTIALS") {
		t.Error(err)
	}
	return out.Title
}

// A password is sent only to its origin, also after redirects. Other sessions do not send it, even
// after the server has accepted it.
func TestCredentials(t *testing.T) {
	t.Parallel()
	s, other, web := home.Start(t), home.Start(t), site.Start(t)
	const sent = `"Basic bWU6c2VjcmV0"`
	if got := do(t, s, verbs.SetCredentials, verbs.CredentialsIn{Username: "me", Password: "secret"}); got.Origin != "" || !got.Set {
		t.Errorf("without a page the password is for %q", got.Origin)
	}
	if got := guarded(t, s, web.URL("/guarded/one")); got != "one" {
		t.Errorf("the guarded page is %q", got)
	}
	if got := guarded(t, other, web.URL("/guarded/one")); got == "one" {
		t.Error("another session has the password")
	}
	headers := "/isolation/headers"
	for _, tt := range []struct {
		name, url, want string
	}{
		{"the origin", web.URL(headers), sent},
		{"another origin", web.CrossURL(headers), "null"},
		{"a redirect to another origin", web.URL("/redirect?to=" + web.CrossURL(headers)), "null"},
		{"a redirect from another origin", web.CrossURL("/redirect?to=" + web.URL(headers)), sent},
		{"a redirect at the origin", web.URL("/redirect?to=" + headers), sent},
	} {
		if got := authorization(t, s, tt.url); got != tt.want {
			t.Errorf("%s gets %s, want %s", tt.name, got, tt.want)
		}
	}
	if got := authorization(t, other, web.URL(headers)); got != "null" {
		t.Errorf("another session sends %s", got)
	}
	// A route makes Playwright continue requests in another way. The result must be the same.
	do(t, s, verbs.Route, verbs.RouteIn{URL: "**/nothing", Abort: true})
	do(t, s, verbs.Route, verbs.RouteIn{URL: "**/redirect*", Delay: 1})
	if got := authorization(t, s, web.URL("/redirect?to="+headers)); got != sent {
		t.Errorf("with a route the origin gets %s", got)
	}
	if got := authorization(t, s, web.URL("/redirect?to="+web.CrossURL(headers))); got != "null" {
		t.Errorf("with a route another origin gets %s", got)
	}
	do(t, s, verbs.Eval, verbs.EvalIn{Script: `open("` + web.URL("/guarded/popup") + `"); 1`})
	do(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: "t2"})
	if got := do(t, s, verbs.GetTitle, verbs.TabIn{}).Title; got != "popup" {
		t.Errorf("the popup is %q", got)
	}
	s.End(t)
	s = home.Resume(t, s.Name)
	if got := guarded(t, s, web.URL("/guarded/again")); got != "again" {
		t.Errorf("in another daemon the page is %q", got)
	}
	do(t, s, verbs.SetReset, verbs.Empty{})
	if got := guarded(t, s, web.URL("/guarded/reset")); got == "reset" {
		t.Error("the password is sent after set reset")
	}
}

// If the session sends a wrong password, or none, the page gets the server's response. The password
// is in no log.
func TestCredentialsWrong(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	if got := do(t, s, verbs.SetCredentials, verbs.CredentialsIn{Username: "me", Password: "wrong1"}); got.Origin != strings.TrimSuffix(web.URL("/"), "/") {
		t.Errorf("the password is for %q", got.Origin)
	}
	if got := fetched(t, s, "/guarded/one"); !strings.HasPrefix(got, "401 ") {
		t.Errorf("a wrong password answers %q", got)
	}
	do(t, s, verbs.SetCredentials, verbs.CredentialsIn{Username: "me", Password: "secret", Origin: web.CrossURL("/any/page")})
	if got := fetched(t, s, "/guarded/one"); !strings.HasPrefix(got, "401 ") {
		t.Errorf("the password of another origin answers %q", got)
	}
	do(t, s, verbs.SetCredentials, verbs.CredentialsIn{Username: "me", Password: "secret"})
	if got := fetched(t, s, "/guarded/one"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("the right password answers %q", got)
	}
	for _, in := range []verbs.CredentialsIn{
		{Username: "a:b", Password: "wrong2"},
		{Username: "a", Password: "wrong2\n"},
		{Username: "a", Password: strings.Repeat("wrong2", 1000)},
		{Username: "a", Password: "wrong2", Origin: "ftp://example.com"},
		{Username: "a", Password: "wrong2", Origin: "example.com"},
	} {
		if err := fails(t, s, verbs.SetCredentials, in, wire.CodeBadInput); strings.Contains(err.Message+err.Hint, "wrong2") {
			t.Errorf("the error contains the password: %v", err)
		}
	}
	if got := fetched(t, s, "/guarded/one"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("after refused passwords the answer is %q", got)
	}
	logs, err := filepath.Glob(filepath.Join(home.Root.Dir, "log", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range logs {
		if raw, err := os.ReadFile(file); err == nil && strings.Contains(string(raw), "wrong1") {
			t.Errorf("the password is in %s", file)
		}
	}
}
