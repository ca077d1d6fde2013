//go:build linux

package isolation_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// ownRounds is how often the two tasks set and read their own things.
const ownRounds = 3

// Two tasks use the clipboard, a route, headers, a password, an init script, a frame, the console and
// the list of requests at the same time. Each task gets its own values, and none of the other task.
func TestTwoTasksUseTheirOwnThings(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	const left, right = "left", "right"
	others := map[string]string{left: right, right: left}
	for round := range ownRounds {
		// All is set before anything is read.
		var setting, reading sync.WaitGroup
		for task := range others {
			setting.Go(func() { setOwn(t, h, s, task, fmt.Sprint(task, round)) })
		}
		setting.Wait()
		for task, other := range others {
			reading.Go(func() { readOwn(t, h, s, task, fmt.Sprint(task, round), fmt.Sprint(other, round)) })
		}
		reading.Wait()
	}
}

// Two tasks have allowed domains at the same time. Each reaches its own, and not that of the other.
func TestTwoTasksHaveTheirOwnAllowedDomains(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	var both sync.WaitGroup
	for task, own := range map[string]struct{ domain, url, other string }{
		"left":  {"127.0.0.1", s.URL("/page/left"), s.CrossURL("/page/right")},
		"right": {"localhost", s.CrossURL("/page/right"), s.URL("/page/left")},
	} {
		both.Go(func() {
			for _, args := range [][]string{
				{"--allowed-domains", own.domain, "open", own.url},
				{"wait", "--text", task},
				{"eval", "location = '" + own.other + "'; 1"},
				{"wait", "--text", "is not among the allowed domains of this session"},
				{"open", own.url},
				{"wait", "--text", task},
			} {
				if r := h.Try(task, args...); r.Status != wire.ExitDone {
					t.Errorf("%s", r)
				}
			}
			if r := h.Try(task, "--json", "open", own.other); r.Envelope(t).Code != wire.CodeDenied {
				t.Errorf("%s", r)
			}
		})
	}
	both.Wait()
}

// setOwn sets everything that belongs to the task's session. All values contain mark.
func setOwn(t *testing.T, h *e2e.Home, s *site.Site, task, mark string) {
	for _, args := range [][]string{
		{"clipboard", "write", "copied by " + mark},
		{"network", "route", "**/isolation/routed", "--body", "routed by " + mark},
		{"set", "headers", `{"X-Task":"` + mark + `"}`},
		{"set", "credentials", mark, "secret", "--origin", s.URL("")},
		{"addinitscript", `window.task = "` + mark + `"`},
		{"open", s.URL("/frames?by=" + mark)},
		{"eval", `console.log("logged by ` + mark + `"); document.querySelector("h1").textContent = "heading of ` + mark + `"; 1`},
		{"frame", "#same"},
		{"eval", `document.body.insertAdjacentHTML("beforeend", "<p id=mine>frame of ` + mark + `</p>"); 1`},
	} {
		if r := h.Try(task, args...); r.Status != wire.ExitDone {
			t.Errorf("%s", r)
		}
	}
}

// readOwn checks that the task's session has its own values, which contain mark, and nothing that
// contains the mark of the other task.
func readOwn(t *testing.T, h *e2e.Home, s *site.Site, task, mark, other string) {
	for _, step := range []struct {
		args []string
		want string // a part of the output
	}{
		{[]string{"get", "text", "#mine"}, "frame of " + mark},
		{[]string{"frame", "main"}, ""},
		{[]string{"get", "text", "h1"}, "heading of " + mark},
		{[]string{"clipboard", "read"}, "copied by " + mark},
		{[]string{"eval", "window.task"}, mark},
		{[]string{"eval", `fetch("/isolation/routed").then((r) => r.text())`}, "routed by " + mark},
		{[]string{"console"}, "logged by " + mark},
		{[]string{"network", "requests"}, "/frames?by=" + mark},
		{[]string{"open", s.URL("/isolation/headers")}, ""},
		{[]string{"get", "text", "body"}, `"X-Task":"` + mark + `"`},
		{[]string{"get", "text", "body"}, "Basic " + base64.StdEncoding.EncodeToString([]byte(mark+":secret"))},
		{[]string{"open", s.URL("/form")}, ""},
		{[]string{"fill", "#name", ""}, ""},
		{[]string{"focus", "#name"}, ""},
		{[]string{"clipboard", "paste"}, ""},
		{[]string{"get", "value", "#name"}, "copied by " + mark},
	} {
		r := h.Try(task, step.args...)
		if r.Status != wire.ExitDone || !strings.Contains(r.Stdout, step.want) {
			t.Errorf("want %q:\n%s", step.want, r)
		}
		if strings.Contains(r.Stdout, other) {
			t.Errorf("the output contains %q of the other task:\n%s", other, r)
		}
	}
}
