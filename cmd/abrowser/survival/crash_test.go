//go:build linux

package survival_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A page whose process ends while it is asked is said to have crashed, at once, by
// whatever asks it in more than one step: the step after the end gets no answer, ever.
func TestRendererEndsWhileItIsAsked(t *testing.T) {
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
			e2e.Stop(t, renderer) // it answers nothing
			results := make(chan e2e.Result, 1)
			go func() { results <- h.Try("task", append([]string{"--json"}, args...)...) }()
			time.Sleep(300 * time.Millisecond) // it asks by now, which nobody can see, and its first step waits for a second
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
				t.Errorf("the tab beside it has %s fields", kept)
			}
		})
	}
}
