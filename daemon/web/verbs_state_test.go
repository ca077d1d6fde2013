package web_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// saveState saves the state of a session and returns it.
func saveState(t testing.TB, s *daemontest.Session, in verbs.StateSaveIn) *verbs.State {
	t.Helper()
	in.Path = "/unused"
	state, err := verbs.ParseState(do(t, s, verbs.StateSave, in).Content)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// The saved state covers the sites of all of the session's pages, and no others.
func TestStateSaveOfTheSessionsSites(t *testing.T) {
	t.Parallel()
	s, other, web := home.Start(t), home.Start(t), site.Start(t)
	fails(t, s, verbs.StateSave, verbs.StateSaveIn{Path: "/unused"}, wire.CodeNotFound)
	open(t, other, hostURL(web, "state-foreign", "/page/one"))
	do(t, other, verbs.CookiesSet, verbs.CookiesSetIn{Name: "foreign", Value: "1"})
	do(t, other, verbs.LocalStorageSet, verbs.StorageSetIn{Key: "foreign", Value: "1"})
	for _, host := range []string{"state-one", "state-two"} {
		if host == "state-one" {
			open(t, s, hostURL(web, host, "/page/one"))
		} else {
			do(t, s, verbs.TabNew, verbs.TabNewIn{URL: hostURL(web, host, "/page/one")})
		}
		do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: host, Value: "v", HTTPOnly: true})
		do(t, s, verbs.LocalStorageSet, verbs.StorageSetIn{Key: "k", Value: host})
	}
	state := saveState(t, s, verbs.StateSaveIn{})
	var names, origins []string
	for _, c := range state.Cookies {
		names = append(names, c.Name)
	}
	for _, o := range state.Origins {
		origins = append(origins, o.Origin+" "+o.LocalStorage[0].Value)
	}
	slices.Sort(names)
	slices.Sort(origins)
	want := []string{strings.TrimSuffix(hostURL(web, "state-one", "/"), "/") + " state-one", strings.TrimSuffix(hostURL(web, "state-two", "/"), "/") + " state-two"}
	if !slices.Equal(names, []string{"state-one", "state-two"}) || !slices.Equal(origins, want) {
		t.Errorf("the state has the cookies %q and the origins %q", names, origins)
	}
	all := saveState(t, s, verbs.StateSaveIn{All: true})
	if !slices.ContainsFunc(all.Cookies, func(c verbs.StateCookie) bool { return c.Name == "foreign" }) {
		t.Error("--all leaves out cookies of other sites")
	}
}

// With --all, state load also sets the storage of an origin at which the session has no page. No
// request is sent to the origin's server, and the session's tabs stay as they are.
func TestStateLoadVisitsOrigins(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, hostURL(web, "state-at", "/form"))
	do(t, s, verbs.Fill, verbs.FillIn{Element: element("#name"), Text: "typed"})
	origin := strings.TrimSuffix(hostURL(web, "state-visited", "/"), "/")
	state := &verbs.State{
		Cookies: []verbs.StateCookie{{Name: "a", Value: "1", Domain: "state-visited.localhost", Path: "/", Expires: -1}},
		Origins: []verbs.StateOrigin{{Origin: origin, LocalStorage: []verbs.StorageEntry{{Name: "k", Value: "v"}}, SessionStorage: []verbs.StorageEntry{{Name: "s", Value: "v"}}}},
	}
	fails(t, s, verbs.StateLoad, verbs.StateLoadIn{Path: "/unused", State: state}, wire.CodeBadInput)
	out, warnings, err := ask(t, s, verbs.StateLoad, verbs.StateLoadIn{Path: "/unused", State: state, All: true})
	if err != nil || out.Cookies != 1 || !slices.Equal(out.Origins, []string{origin}) {
		t.Fatalf("load answers %+v, %v", out, err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "session storage of "+origin) {
		t.Errorf("the warnings are %q", warnings)
	}
	if tabs := do(t, s, verbs.TabList, verbs.TabListIn{}).Tabs; len(tabs) != 1 || !tabs[0].Active {
		t.Errorf("the tabs are %+v", tabs)
	}
	if got := do(t, s, verbs.GetValue, verbs.GetIn{Element: element("#name")}).Value; got != "typed" {
		t.Errorf("the field has %q", got)
	}
	open(t, s, origin+"/page/one")
	if got := do(t, s, verbs.LocalStorageGet, verbs.StorageGetIn{Key: "k"}); got.Value == nil || *got.Value != "v" {
		t.Errorf("the storage has %+v", got)
	}
	if got := eval(t, s, "document.cookie"); got != `"a=1"` {
		t.Errorf("the cookies are %s", got)
	}
}

// A cookie that was set for one host is loaded for that host alone, and not for its subdomains.
func TestStateLoadKeepsTheKindOfCookies(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, hostURL(web, "state-kinds", "/page/one"))
	do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: "host", Value: "1", SameSite: "Strict", HTTPOnly: true, Path: "/page"})
	do(t, s, verbs.CookiesSet, verbs.CookiesSetIn{Name: "domain", Value: "1", Domain: ".state-kinds.localhost", Expires: 1999999999})
	before := do(t, s, verbs.CookiesGet, verbs.CookiesGetIn{}).Cookies
	state := saveState(t, s, verbs.StateSaveIn{})
	do(t, s, verbs.CookiesClear, verbs.ClearIn{})
	do(t, s, verbs.StateLoad, verbs.StateLoadIn{Path: "/unused", State: state})
	after := do(t, s, verbs.CookiesGet, verbs.CookiesGetIn{}).Cookies
	byName := func(a, b verbs.Cookie) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(before, byName)
	slices.SortFunc(after, byName)
	if !slices.Equal(before, after) {
		t.Errorf("the cookies were %+v, and are %+v", before, after)
	}
}

// A state that no browser can have saved is refused, and nothing of it is loaded.
func TestStateLoadRefuses(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, hostURL(web, "state-bad", "/page/one"))
	good := `{"name":"good","value":"1","domain":"state-bad.localhost","path":"/","expires":-1}`
	for name, content := range map[string]string{
		"a line in a value":      `{"cookies":[` + good + `,{"name":"a","value":"1\r\nx","domain":"state-bad.localhost","path":"/"}],"origins":[]}`,
		"a cookie for all sites": `{"cookies":[` + good + `,{"name":"a","value":"1","domain":".com","path":"/"}],"origins":[]}`,
		"a cookie without path":  `{"cookies":[` + good + `,{"name":"a","value":"1","domain":"state-bad.localhost"}],"origins":[]}`,
		"an unknown sameSite":    `{"cookies":[` + good + `,{"name":"a","value":"1","domain":"state-bad.localhost","path":"/","sameSite":"x"}],"origins":[]}`,
		"a cookie with a prefix": `{"cookies":[` + good + `,{"name":"__Host-a","value":"1","domain":".state-bad.localhost","path":"/"}],"origins":[]}`,
		"a file origin":          `{"cookies":[` + good + `],"origins":[{"origin":"file:///etc"}]}`,
		"an origin with a path":  `{"cookies":[` + good + `],"origins":[{"origin":"https://a.example/path"}]}`,
		"an origin with a user":  `{"cookies":[` + good + `],"origins":[{"origin":"https://u:p@a.example"}]}`,
	} {
		var state verbs.State
		if err := json.Unmarshal([]byte(content), &state); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ask(t, s, verbs.StateLoad, verbs.StateLoadIn{Path: "/unused", State: &state}); wire.AsError(err) == nil || wire.AsError(err).Code != wire.CodeBadInput {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := cookieNames(t, s, verbs.CookiesGetIn{}); got != "" {
		t.Errorf("these cookies were set: %s", got)
	}
}
