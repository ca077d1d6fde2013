package web_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// fetched makes the page fetch a path. It returns the status, the type, the header X-Test and the
// body of the response, or the error.
func fetched(t testing.TB, s *daemontest.Session, path string) string {
	t.Helper()
	text := eval(t, s, `fetch(`+strconv.Quote(path)+`).then(async r => [r.status, r.headers.get("content-type"), r.headers.get("x-test"), await r.text()].join(" "), String)`)
	got, err := strconv.Unquote(text)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRoute(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	file := filepath.Join(t.TempDir(), "data.json")
	text := func(s string) *string { return &s }
	write := func(content string) {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"v":2}`)
	for _, in := range []verbs.RouteIn{ // before the first request of the session
		{URL: "**/page/routed", Body: text("<title>routed</title>")},
		{URL: "**/json", Body: text(`{"v":1}`), Headers: `{"X-Test":"yes"}`},
		{URL: "**/file", File: file, Status: 201},
		{URL: "**/empty", Body: text("")},
		{URL: "**/gone", Status: 410},
		{URL: "**/aborted", Abort: true},
		{URL: "**/page/some*", Body: text("script"), ResourceType: "script"},
		{URL: "**/page/late", Delay: 300},
		{URL: "**/page/answered-late", Delay: 300, Body: text("late")},
		{URL: "**/twice", Body: text("first")},
		{URL: "**/twice", Body: text("second")},
	} {
		if got := do(t, s, verbs.Route, in); got.Routed != in.URL {
			t.Errorf("route %+v answers %+v", in, got)
		}
	}
	if got := open(t, s, web.URL("/page/routed")).Title; got != "routed" {
		t.Errorf("the page is %q", got)
	}
	see := func(t *testing.T) {
		t.Helper()
		for path, want := range map[string]string{
			"/json":     `200 application/json yes {"v":1}`,
			"/file":     `201 application/json  {"v":2}`,
			"/empty":    `200 text/plain; charset=utf-8  `,
			"/gone":     `410 text/plain; charset=utf-8  `,
			"/aborted":  `TypeError: Failed to fetch`,
			"/twice":    `200 text/plain; charset=utf-8  second`,
			"/nothing2": `404 text/plain; charset=utf-8  404 page not found` + "\n",
		} {
			if got := fetched(t, s, path); got != want {
				t.Errorf("%s answers %q, want %q", path, got, want)
			}
		}
	}
	see(t)
	if got := fetched(t, s, "/page/something"); !strings.Contains(got, "<h1 id=name>something</h1>") {
		t.Errorf("a route for scripts answers a fetch with %q", got)
	}
	for path, want := range map[string]string{"/page/late": "<h1 id=name>late</h1>", "/page/answered-late": " late"} {
		took := eval(t, s, `(async () => { const from = performance.now(); await fetch("`+path+`"); return performance.now() - from })()`)
		if ms, err := strconv.ParseFloat(took, 64); err != nil || ms < 290 {
			t.Errorf("%s came after %s ms", path, took)
		}
		if got := fetched(t, s, path); !strings.Contains(got, want) {
			t.Errorf("%s answers %q, want %q", path, got, want)
		}
	}
	write("changed")
	if got := fetched(t, s, "/file"); got != "201 application/json  changed" {
		t.Errorf("the changed file is answered as %q", got)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got := fetched(t, s, "/file"); got != "TypeError: Failed to fetch" {
		t.Errorf("the removed file is answered as %q", got)
	}
	write(`{"v":2}`)

	// The routes apply to popups from their first request on, and also under the session's next
	// daemon.
	do(t, s, verbs.Eval, verbs.EvalIn{Script: `open("/page/routed"); 1`})
	do(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: "t2"})
	if got := do(t, s, verbs.GetTitle, verbs.TabIn{}).Title; got != "routed" {
		t.Errorf("the popup is %q", got)
	}
	s.End(t)
	s = home.Resume(t, s.Name)
	see(t)

	if got := do(t, s, verbs.Unroute, verbs.UnrouteIn{URL: "**/json"}); got.Unrouted != "**/json" || got.Removed != 1 {
		t.Errorf("unroute answers %+v", got)
	}
	if got := fetched(t, s, "/json"); !strings.HasPrefix(got, "404 ") {
		t.Errorf("a removed route answers %q", got)
	}
	if got := fails(t, s, verbs.Unroute, verbs.UnrouteIn{URL: "**/json"}, wire.CodeNotFound); !strings.Contains(got.Message, "the routes are for **/twice, ") {
		t.Errorf("a missing route: %v", got)
	}
	if got := do(t, s, verbs.Unroute, verbs.UnrouteIn{}); got.Unrouted != "all" || got.Removed != 9 {
		t.Errorf("unroute answers %+v", got)
	}
	if got := fetched(t, s, "/gone"); !strings.HasPrefix(got, "404 ") {
		t.Errorf("a removed route answers %q", got)
	}
}

// A bad route changes nothing.
func TestRouteRefuses(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	body, long := "kept", strings.Repeat("x", 2<<20)
	open(t, s, web.URL("/page/one"))
	do(t, s, verbs.Route, verbs.RouteIn{URL: "**/kept", Body: &body})
	for _, in := range []verbs.RouteIn{
		{URL: "**/kept"},
		{URL: "**/{kept", Body: &body},
		{URL: "**/ke pt", Body: &body},
		{URL: strings.Repeat("*/", 4000), Body: &body},
		{URL: "**/kept", Abort: true, Body: &body},
		{URL: "**/kept", File: "/nothing/there"},
		{URL: "**/kept", File: "/tmp"},
		{URL: "**/kept", File: "/dev/zero"},
		{URL: "**/kept", Status: 99},
		{URL: "**/kept", Status: 600},
		{URL: "**/kept", Body: &body, ResourceType: "picture"},
		{URL: "**/kept", Headers: "secret"},
		{URL: "**/kept", Headers: `{"A":"b\r\nc: d"}`},
		{URL: "**/kept", AllowOrigin: "a\r\nb: c"},
		{URL: "**/kept", Delay: 1 << 40},
	} {
		fails(t, s, verbs.Route, in, wire.CodeBadInput)
	}
	fails(t, s, verbs.Route, verbs.RouteIn{URL: "**/kept", Body: &long}, wire.CodeTooLarge)
	if got := fetched(t, s, "/kept"); !strings.HasSuffix(got, " kept") {
		t.Errorf("the route now answers %q", got)
	}
}

// An init script runs in each document of the session, including popups and frames. It runs before
// the document's own scripts.
func TestInitScript(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	if got := do(t, s, verbs.AddInitScript, verbs.AddInitScriptIn{Script: "console.log('first', typeof name); window.first = 1"}); got.ID != "s1" {
		t.Errorf("the first script is %+v", got)
	}
	file := filepath.Join(t.TempDir(), "second.js")
	if err := os.WriteFile(file, []byte("window.second = first + 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := do(t, s, verbs.AddInitScript, verbs.AddInitScriptIn{File: file}); got.ID != "s2" {
		t.Errorf("the second script is %+v", got)
	}
	open(t, s, web.URL("/console?name=popup"))
	want := []string{"log first string", "log hello popup 1 {a: 1} null"}
	logged(t, s, want...)
	messages := do(t, s, verbs.Console, verbs.ConsoleIn{}).Messages
	if first := messages[len(messages)-2].Text; first != "first string" {
		t.Errorf("the script did not run first: %+v", messages)
	}
	if got := eval(t, s, "second"); got != "2" {
		t.Errorf("second is %s", got)
	}
	do(t, s, verbs.Eval, verbs.EvalIn{Script: `open("/page/popup"); 1`})
	do(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: "t2"})
	if got := eval(t, s, "second"); got != "2" {
		t.Errorf("second is %s in a popup", got)
	}
	s.End(t)
	s = home.Resume(t, s.Name)
	open(t, s, web.URL("/page/again"))
	if got := eval(t, s, "second"); got != "2" {
		t.Errorf("second is %s in another daemon", got)
	}
	if got := do(t, s, verbs.RemoveInitScript, verbs.RemoveInitScriptIn{ID: "s2"}); got.Removed != "s2" {
		t.Errorf("the removed script is %+v", got)
	}
	open(t, s, web.URL("/page/later"))
	if got := eval(t, s, "[typeof first, typeof second].join()"); got != `"number,undefined"` {
		t.Errorf("after s2 was removed there are %s", got)
	}
	fails(t, s, verbs.RemoveInitScript, verbs.RemoveInitScriptIn{ID: "s2"}, wire.CodeNotFound)
	fails(t, s, verbs.AddInitScript, verbs.AddInitScriptIn{}, wire.CodeBadInput)
	fails(t, s, verbs.AddInitScript, verbs.AddInitScriptIn{Script: "1 +"}, wire.CodeBadInput)
	fails(t, s, verbs.AddInitScript, verbs.AddInitScriptIn{Script: "1", File: file}, wire.CodeBadInput)
	fails(t, s, verbs.AddInitScript, verbs.AddInitScriptIn{File: file + "x"}, wire.CodeBadInput)
	fails(t, s, verbs.AddInitScript, verbs.AddInitScriptIn{Script: strings.Repeat(" ", 2<<20)}, wire.CodeTooLarge)
	if got := do(t, s, verbs.AddInitScript, verbs.AddInitScriptIn{Script: "window.third = 3"}); got.ID != "s3" {
		t.Errorf("the third script is %+v", got)
	}
}
