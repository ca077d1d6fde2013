//go:build linux

package isolation_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Two tasks type at the same time. Each field gets all keys of its own task, in order, and no
// key of the other task.
func TestTwoTasksType(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	const keys = 25 // how many keys are pressed one by one
	texts := map[string]string{}
	for task, from := range map[string]rune{"lower": 'a', "upper": 'A'} {
		text := strings.Builder{}
		for i := range 200 {
			text.WriteRune(from + rune(i%26))
		}
		texts[task] = text.String()
		h.Text(t, task, "open", s.URL("/form"))
	}
	var work sync.WaitGroup
	for task, text := range texts {
		work.Go(func() {
			for _, args := range [][]string{{"type", "#name", text, "--clear"}, {"focus", "#notes"}} {
				if r := h.Try(task, args...); r.Status != 0 {
					t.Errorf("%s", r)
				}
			}
			for _, key := range text[:keys] {
				if r := h.Try(task, "press", string(key)); r.Status != 0 {
					t.Errorf("%s", r)
				}
			}
		})
	}
	work.Wait()
	for task, text := range texts {
		if got := h.Text(t, task, "get", "value", "#name"); got != text {
			t.Errorf("task %s typed %q, and its field has %q", task, text, got)
		}
		if got := h.Text(t, task, "get", "value", "#notes"); got != text[:keys] {
			t.Errorf("task %s pressed %q, and its field has %q", task, text[:keys], got)
		}
	}
}

// In a headed browser, no action of a task raises a window, takes the keyboard focus from another
// program's window, or puts another tab in front of the person's tab. The person's tab shows the
// page /watch, which tells the site when it is visible or hidden. Windows that a page opens are
// not covered, see README.md of package patches.
func TestNothingIsRaised(t *testing.T) {
	t.Parallel()
	x := e2e.NewScreen(t)
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Env = append(h.Env, "DISPLAY="+x.Display, "XDG_CACHE_HOME="+filepath.Join(h.Outer, "cache"), "ABROWSER_HEADED=true", "ABROWSER_ARGS="+s.URL("/watch"))
	h.Text(t, "first", "open", s.URL("/popups"))
	if !e2e.Await(e2e.CommandDeadline, func() bool { return s.Count("watch-visible") > 0 }) {
		t.Fatal("the person's tab is not in front to begin with")
	}
	x.Show()
	before := x.Windows()
	if top := before[len(before)-1]; top != x.Window || x.Focus() != x.Window {
		t.Fatalf("the windows are %v and %d has the keyboard; want our own, %d", before, x.Focus(), x.Window)
	}
	steps := [][]string{
		{"first", "click", "h1"},
		{"first", "click", "#plain", "--new-tab"},
		{"first", "tab", "new", s.URL("/form")},
		{"first", "fill", "#name", "Ada"},
		{"first", "type", "#name", "Lovelace"},
		{"first", "press", "Tab"},
		{"first", "screenshot", h.Outer + "/first.png"},
		{"first", "tab", "t1"},
		{"first", "reload"},
		{"first", "hover", "#blank"},
		{"second", "open", s.URL("/dialogs")},
		{"second", "click", "#confirm"},
		{"second", "screenshot", "--full", h.Outer + "/second.png"},
		{"first", "tab", "close", "t2"},
		{"second", "close"},
		{"second", "open", s.URL("/form")},
	}
	for _, step := range steps {
		hidden := s.Count("watch-hidden")
		h.Text(t, step[0], step[1:]...)
		now, focus := x.Windows(), x.Focus()
		if !slices.Equal(now, before) || focus != x.Window {
			t.Errorf("%s: the windows are %v, were %v; the keyboard is with %d, was with %d", strings.Join(step[1:], " "), now, before, focus, x.Window)
			x.Work()
			before = x.Windows()
		}
		if s.Count("watch-hidden") != hidden {
			t.Errorf("%s: the person's tab is not in front any more", strings.Join(step[1:], " "))
		}
	}
	// Chromium would give the pages behind the front tab a lower priority. It does so only if it may
	// raise a priority again, as root may.
	t.Run("the person's page has the priority of the tasks' pages", func(t *testing.T) {
		renderers := h.Renderers()
		if len(renderers) < 3 {
			t.Fatalf("there are %d renderers, want those of three pages", len(renderers))
		}
		for _, r := range renderers {
			if r.Nice() != renderers[0].Nice() {
				t.Errorf("renderer %d has the nice value %d, and renderer %d has %d", r.PID, r.Nice(), renderers[0].PID, renderers[0].Nice())
			}
		}
	})
	t.Run("another agent has the front tab", func(t *testing.T) {
		place, err := home.Root{Dir: h.Dir}.Browser("default")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), e2e.CommandDeadline)
		defer cancel()
		end, err := (&client.Client{Endpoint: place, Session: "another"}).Lock(ctx, wire.PathCapture)
		if err != nil {
			t.Fatal(err)
		}
		e := h.Fails(t, wire.CodeMutexBusy, "first", "screenshot", h.Outer+"/busy.png")
		if e.Error == nil || !strings.Contains(*e.Error, "Holder: another Held for: 3") {
			t.Errorf("it says %+v", e)
		}
		h.Text(t, "first", "page", "state") // works, because it does not use the front tab
		end()
		h.Fails(t, wire.CodeNotFound, "first", "screenshot", "#none")
		h.Text(t, "second", "screenshot", h.Outer+"/third.png")
	})
}
