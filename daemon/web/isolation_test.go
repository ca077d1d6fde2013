package web_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// Two sessions of one browser use their own settings and data at the same time: headers, a
// password, routes, scripts, the console, the errors, the requests and the chosen frame. Neither
// session gets anything of the other. A third session, which sets none of these, gets nothing of
// either.
func TestSettingsOfTwoSessions(t *testing.T) {
	t.Parallel()
	web := site.Start(t)
	var all sync.WaitGroup
	for _, name := range []string{"one", "two", ""} {
		s := home.Start(t)
		all.Go(func() {
			if name != "" {
				setOwn(t, s, name)
			}
			for range 3 {
				useOwn(t, s, web, name)
			}
		})
	}
	all.Wait()
}

// setOwn gives a session its own settings, all of which contain its name, before its first request.
func setOwn(t *testing.T, s *daemontest.Session, name string) {
	body := "routed for " + name
	do(t, s, verbs.Route, verbs.RouteIn{URL: "**/isolation/routed", Body: &body})
	do(t, s, verbs.SetHeaders, verbs.HeadersIn{Headers: verbs.StringOrObject(fmt.Sprintf(`{"X-Task":%q}`, name))})
	do(t, s, verbs.SetCredentials, verbs.CredentialsIn{Username: name, Password: "secret"})
	do(t, s, verbs.AddInitScript, verbs.AddInitScriptIn{Script: fmt.Sprintf("window.task = %q", name)})
}

// useOwn opens pages in a session, and checks that they have the settings that setOwn has made with
// the same name, or none if the name is empty.
func useOwn(t *testing.T, s *daemontest.Session, web *site.Site, name string) {
	check := func(what, got, want string) {
		if got != want {
			t.Errorf("session %q: %s is %s, want %s", name, what, got, want)
		}
	}
	open(t, s, web.URL("/isolation/headers"))
	sent := eval(t, s, `(h => [h["X-Task"], h.Authorization && atob(h.Authorization.slice(6))].join())(JSON.parse(document.body.innerText))`)
	script := eval(t, s, "String(window.task)")
	routed := eval(t, s, `fetch("/isolation/routed").then(r => r.text())`)
	if name == "" {
		check("what is sent", sent, `","`)
		check("the script's value", script, `"undefined"`)
		check("the answer", routed, `"by the server"`)
	} else {
		check("what is sent", sent, fmt.Sprintf(`"%s,%s:secret"`, name, name))
		check("the script's value", script, fmt.Sprintf("%q", name))
		check("the answer", routed, fmt.Sprintf(`"routed for %s"`, name))
	}

	// Check the frame, the console, the errors and the requests.
	open(t, s, web.URL("/nest?of="+name))
	if name != "" {
		do(t, s, verbs.FrameSelect, verbs.FrameIn{Selector: "iframe"})
		check("the frame", eval(t, s, "location.pathname"), `"/inner"`)
		do(t, s, verbs.FrameMain, verbs.Empty{})
	}
	check("the page", eval(t, s, "location.pathname"), `"/nest"`)
	do(t, s, verbs.Console, verbs.ConsoleIn{Clear: true})
	do(t, s, verbs.Errors, verbs.ConsoleIn{Clear: true})
	eval(t, s, fmt.Sprintf(`console.log("logged by", %q); fetch("/page/asked-by-%s").then(() => 1)`, name, name))
	eval(t, s, fmt.Sprintf(`new Promise(done => setTimeout(() => { setTimeout(done); throw new Error("thrown by %s") })).then(() => 1)`, name))
	messages := do(t, s, verbs.Console, verbs.ConsoleIn{}).Text()
	check("the console", messages, "[log] logged by "+name)
	errors := do(t, s, verbs.Errors, verbs.ConsoleIn{}).Errors
	if len(errors) != 1 || !strings.HasPrefix(errors[0].Text, "Error: thrown by "+name+"\n") {
		t.Errorf("session %q has the errors %+v", name, errors)
	}
	requests := do(t, s, verbs.Requests, verbs.RequestsIn{Filter: "asked-by-"}).Requests
	for _, r := range requests {
		if !strings.HasSuffix(r.URL, "/page/asked-by-"+name) {
			t.Errorf("session %q has the request %s", name, r.URL)
		}
	}
	do(t, s, verbs.Requests, verbs.RequestsIn{Clear: true})
	check("the number of requests", fmt.Sprint(len(requests)), "1")
}
