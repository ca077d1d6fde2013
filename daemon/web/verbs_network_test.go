package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// requested returns the session's requests, as lines with method, path, type and outcome.
func requested(t testing.TB, s *daemontest.Session, web *site.Site, in verbs.RequestsIn) []string {
	t.Helper()
	var all []string
	for _, r := range do(t, s, verbs.Requests, in).Requests {
		path := strings.TrimPrefix(strings.TrimPrefix(r.URL, strings.TrimSuffix(web.URL("/"), "/")), strings.TrimSuffix(web.CrossURL("/"), "/"))
		outcome := r.Failure
		if r.Failure == "" {
			outcome = fmt.Sprint(r.Status)
		}
		all = append(all, strings.Join([]string{r.Method, path, r.ResourceType, outcome}, " "))
	}
	return all
}

// The verb returns the requests of all pages, from the first one on, and can filter them.
func TestRequests(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	if got := do(t, s, verbs.Requests, verbs.RequestsIn{}); len(got.Requests) != 0 || got.Text() != "no requests" {
		t.Errorf("the requests of a new session are %+v", got)
	}
	open(t, s, web.URL("/nest"))
	do(t, s, verbs.TabNew, verbs.TabNewIn{URL: web.URL("/page/two")})
	eval(t, s, `fetch("/count/requests", {method: "POST", body: "a=1"}).then(r => r.status)`)
	eval(t, s, `fetch("/nothing").then(r => r.status)`)
	eval(t, s, `fetch("http://127.0.0.1:1/").catch(String)`)
	do(t, s, verbs.TabClose, verbs.TabCloseIn{})
	want := []string{
		"GET /nest Document 200", "GET /inner?name=deep Document 200", "GET /page/two Document 200",
		"POST /count/requests Fetch 204", "GET /nothing Fetch 404", "GET http://127.0.0.1:1/ Fetch net::ERR_UNSAFE_PORT",
	}
	for _, tt := range []struct {
		name string
		in   verbs.RequestsIn
		want []string
	}{
		{"all", verbs.RequestsIn{}, want},
		{"filter", verbs.RequestsIn{Filter: "/page/"}, want[2:3]},
		{"type", verbs.RequestsIn{Type: "fetch, xhr"}, want[3:]},
		{"method", verbs.RequestsIn{Method: "post"}, want[3:4]},
		{"status", verbs.RequestsIn{Status: "404"}, want[4:5]},
		{"class", verbs.RequestsIn{Status: "2xx"}, want[:4]},
		{"range", verbs.RequestsIn{Status: "204-404"}, want[3:5]},
		{"several", verbs.RequestsIn{Status: "2xx", Type: "document", Filter: "nest"}, want[:1]},
	} {
		if got := requested(t, s, web, tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("%s: the requests are %q, want %q", tt.name, got, tt.want)
		}
	}
	all := do(t, s, verbs.Requests, verbs.RequestsIn{}).Requests
	if age := time.Since(time.UnixMilli(int64(all[0].Timestamp))); age < 0 || age > patience {
		t.Errorf("the request is %v old", age)
	}
	if all[3].PostData != "a=1" || all[3].Headers["user-agent"] == "" || all[0].MIMEType != "text/html" || all[0].ResponseHeaders["content-type"] == "" {
		t.Errorf("the requests are %+v", all)
	}
	if got := do(t, s, verbs.Requests, verbs.RequestsIn{Clear: true}); *got.Cleared != len(want) || len(got.Requests) != 0 {
		t.Errorf("clear answers %+v, want %d requests removed", got, len(want))
	}
	if got := requested(t, s, web, verbs.RequestsIn{}); len(got) != 0 {
		t.Errorf("the requests after clear are %q", got)
	}
	for _, in := range []verbs.RequestsIn{{Status: "6xx"}, {Status: "1000"}, {Status: "x"}, {Status: "500-400"}, {Type: "picture"}} {
		fails(t, s, verbs.Requests, in, wire.CodeBadInput)
	}
}

// The details of a request contain the headers and bodies that were really sent and received.
func TestRequestDetail(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, `fetch("/count/detail", {method: "POST", body: "a=1", headers: {"X-Test": "yes"}}).then(r => r.status)`)
	eval(t, s, `fetch("/late.png").then(r => r.blob()).then(() => 1, String)`)
	all := do(t, s, verbs.Requests, verbs.RequestsIn{}).Requests
	page := do(t, s, verbs.RequestDetail, verbs.RequestIn{ID: all[0].RequestID})
	if page.Status != 200 || page.StatusText != "OK" || !strings.Contains(page.ResponseBody, "<h1 id=name>one</h1>") || page.ResponseHeaders["date"] == "" || page.Headers["host"] == "" {
		t.Errorf("the page's request is %+v", page)
	}
	sent := do(t, s, verbs.RequestDetail, verbs.RequestIn{ID: all[1].RequestID})
	if sent.PostData != "a=1" || sent.Headers["x-test"] != "yes" || sent.Status != 204 || sent.ResponseBody != "" || sent.BodyError != "" {
		t.Errorf("the POST is %+v", sent)
	}
	if text := sent.Text(); !strings.HasPrefix(text, "> POST "+web.URL("/count/detail")+"\n> ") || !strings.Contains(text, "\n> x-test: yes\n") || !strings.Contains(text, "\n< 204 No Content\n") {
		t.Errorf("the text of the POST is %s", text)
	}
	fails(t, s, verbs.RequestDetail, verbs.RequestIn{ID: "17893.9"}, wire.CodeNotFound)
	open(t, s, web.URL("/page/two"))
	eval(t, s, `fetch("/never").then(String); 1`)
	all = do(t, s, verbs.Requests, verbs.RequestsIn{Filter: "/never"}).Requests
	if pending := do(t, s, verbs.RequestDetail, verbs.RequestIn{ID: all[0].RequestID}); pending.Status != 0 || !strings.Contains(pending.Text(), "\n< pending") {
		t.Errorf("a request without a response is %+v", pending)
	}
}
