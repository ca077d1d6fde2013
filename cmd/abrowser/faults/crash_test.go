//go:build linux

package faults_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// If a page's renderer ends while a command uses the page, the command fails with page_crashed at
// once. This also holds for a command that sends several CDP requests, although Chromium never
// responds to a request that is sent after the renderer has ended.
func TestRendererEndsDuringACommand(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/secret"))
	tests := map[string][]string{
		"get text":                {"get", "text", "#kept"},
		"get count":               {"get", "count", "#kept"},
		"is visible":              {"is", "visible", "#kept"},
		"snapshot":                {"snapshot"},
		"click":                   {"click", "#kept"},
		"fill":                    {"fill", "#kept", "x"},
		"get text of another tab": {"get", "text", "#kept", "--tab", "asked"},
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			h.Text(t, "task", "tab", "new", s.URL("/secret"), "--label", "asked")
			renderer := rendererOf(t, h, "task")
			if name == "get text of another tab" {
				h.Text(t, "task", "tab", "t1")
			}
			e2e.Stop(t, renderer) // so that the command still runs when the renderer is killed
			results := make(chan e2e.Result, 1)
			go func() { results <- h.Try("task", append([]string{"--json"}, args...)...) }()
			running := func() bool { return e2e.Ask[verbs.StatusOut](t, h, "task", "status").Command != "" }
			if !e2e.Await(10*time.Second, running) {
				t.Error("the command does not run")
			}
			if err := syscall.Kill(renderer.PID, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
			r := <-results
			if e := r.Envelope(t); e.Success || e.Code != wire.CodePageCrashed || r.Took > atOnce {
				t.Errorf("want %s within %s: %s", wire.CodePageCrashed, atOnce, r)
			}
			h.Text(t, "task", "tab", "close", "asked")
			h.Text(t, "task", "tab", "t1")
			if kept := h.Text(t, "task", "get", "count", "#kept"); kept != "1" {
				t.Errorf("the other tab has %s fields, want 1", kept)
			}
		})
	}
}

// If a page's renderer ends after the first event of an action, the error says that the action may
// or may not have been done.
func TestRendererEndsDuringAnAction(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	for _, tt := range []struct{ action, event, text string }{
		{"click", "mousedown", ""}, // performed over CDP, not by Playwright
		{"fill", "input", "x"},     // performed over CDP, not by Playwright
		{"dblclick", "mousedown", ""},
	} {
		t.Run(tt.action, func(t *testing.T) {
			h.Text(t, "task", "open", s.URL("/secret"))
			h.Text(t, "task", "eval", fmt.Sprintf(`addEventListener(%q, () => {
				const send = (method, path) => {
					const request = new XMLHttpRequest();
					request.open(method, path, false);
					request.send();
				};
				send("POST", "/count/%[2]s");
				send("GET", "/gate/%[2]s"); // a gate that stays closed
			}), 0`, tt.event, tt.action))
			renderer := rendererOf(t, h, "task")
			results := make(chan e2e.Result, 1)
			go func() {
				results <- h.Try("task", append([]string{"--json", tt.action, "#kept"}, strings.Fields(tt.text)...)...)
			}()
			if !e2e.Await(20*time.Second, func() bool { return s.Count(tt.action) == 1 }) {
				t.Error("the page saw no input")
			}
			if err := syscall.Kill(renderer.PID, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
			r := <-results
			if e := r.Envelope(t); e.Code != wire.CodePageCrashed || !strings.Contains(*e.Error, "it may or may not have been done") {
				t.Errorf("want %s, and that it may have been done: %s", wire.CodePageCrashed, r)
			}
		})
	}
}
