//go:build linux

package main_test

import (
	"slices"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// A click that opens a tab reports the tab, no matter which feature of the page or of the click
// opens it. The tab belongs to the session of the click and to no other.
func TestPopupsJoinTheirTask(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewRacedHome(t)
	h.Text(t, "bystander", "open", s.URL("/popups"))
	ways := []struct {
		name, path string
		args       []string
	}{
		{"_blank", "/page/blank", []string{"#blank"}},
		{"window.open", "/page/window-open", []string{"#open"}},
		{"noopener", "/page/noopener", []string{"#noopener"}},
		{"form target", "/page/form-target?", []string{"#target"}},
		{"Control and click", "/page/plain", []string{"#plain", "--modifiers", "Control"}},
		{"--new-tab", "/page/plain", []string{"#plain", "--new-tab"}},
	}
	h.Text(t, "opener", "open", s.URL("/popups"))
	first := e2e.Ask[verbs.TabsOut](t, h, "opener", "tab", "list").Tabs[0]
	seen := []string{first.TargetID}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			out := e2e.Ask[verbs.ClickOut](t, h, "opener", append([]string{"click"}, way.args...)...)
			if len(out.Opened) != 1 {
				t.Fatalf("the click reported %v, want one tab", out.Opened)
			}
			opened := out.Opened[0]
			if slices.Contains(seen, opened.TargetID) {
				t.Errorf("tab %v was there before", opened)
			}
			seen = append(seen, opened.TargetID)
			tabs := e2e.Ask[verbs.TabsOut](t, h, "opener", "tab", "list").Tabs
			i := slices.IndexFunc(tabs, func(tab verbs.Tab) bool { return tab.TabID == opened.TabID })
			if i < 0 || len(tabs) != len(seen) || tabs[i].TargetID != opened.TargetID {
				t.Fatalf("the task's tabs are %v, want %d with %v", tabs, len(seen), opened)
			}
			others := e2e.Ask[verbs.TabsOut](t, h, "bystander", "tab", "list").Tabs
			if len(others) != 1 {
				t.Errorf("the other task's tabs are %v, want one tab", others)
			}
			// The session can switch to the tab, which has the right URL.
			h.Text(t, "opener", "tab", opened.TabID)
			h.Text(t, "opener", "wait", "--url", way.path)
			if url := h.Text(t, "opener", "get", "url"); url != s.URL(way.path) {
				t.Errorf("the tab is at %s, want %s", url, s.URL(way.path))
			}
			h.Text(t, "opener", "tab", first.TabID)
		})
	}
}
