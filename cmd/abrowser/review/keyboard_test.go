//go:build linux

package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// A person without a mouse takes a page over, types into it, hands it back and closes it. axe-core, which
// checks what a screen reader needs, finds nothing in the list without tabs, in the list, and in a tab.
func TestReviewByKeyboard(t *testing.T) {
	t.Parallel()
	s, h, own := site.Start(t), e2e.NewHome(t), e2e.NewHome(t)
	audit := func() {
		t.Helper()
		if got := own.Text(t, "person", "a11y"); !strings.HasPrefix(got, "0 rules broken") {
			t.Errorf("axe-core finds %s", got)
		}
	}
	link, _ := startReview(t, h)
	own.Text(t, "person", "open", link)
	own.Text(t, "person", "wait", ".empty", "--timeout", "20000")
	audit()
	h.Text(t, "task", "open", s.URL("/form"))
	h.Text(t, "task", "eval", "document.querySelector('input').focus(), 0")
	own.Text(t, "person", "wait", `a[href="#task/t1"]`, "--timeout", "20000")
	audit()

	is := func(selector string) bool {
		return own.Text(t, "person", "eval", "document.activeElement.matches(`"+selector+"`)") == "true"
	}
	tabTo := func(selector string) {
		t.Helper()
		for range 20 {
			own.Text(t, "person", "press", "Tab")
			if is(selector) {
				return
			}
		}
		t.Fatalf("the Tab key does not reach %s", selector)
	}
	tabTo(`a[href="#task/t1"]`)
	own.Text(t, "person", "press", "Enter")
	own.Text(t, "person", "wait", "--fn", "document.querySelector('#live').naturalWidth > 100", "--timeout", "20000")
	audit()
	tabTo("#take")
	own.Text(t, "person", "press", "Enter")
	own.Text(t, "person", "wait", "--fn", "document.activeElement.id == 'keys'", "--timeout", "20000")
	audit()
	own.Text(t, "person", "keyboard", "type", "Ada")
	if !e2e.Await(10*time.Second, func() bool { return h.Text(t, "task", "get", "value", "input") == "Adainit" }) {
		t.Errorf("the field has %q", h.Text(t, "task", "get", "value", "input"))
	}
	own.Text(t, "person", "press", "Shift+Escape")
	if !is("#give") {
		t.Fatal("Shift and Escape do not leave the page")
	}
	own.Text(t, "person", "press", "Enter")
	own.Text(t, "person", "wait", "--fn", "document.querySelector('#activity').textContent == 'idle'", "--timeout", "20000")
	if !is("#detail, #detail *") {
		t.Error("the focus is lost after the page was handed back")
	}
	tabTo("#close-tab")
	own.Text(t, "person", "press", "Enter")
	own.Text(t, "person", "wait", "#undo button", "--timeout", "20000")
	if is("body") {
		t.Error("the focus is lost after the tab was closed")
	}
	audit()
	if !e2e.Await(30*time.Second, func() bool { return h.Text(t, "", "tabs") == "no tabs" }) {
		t.Errorf("the tab is still there: %s", h.Text(t, "", "tabs"))
	}
}
