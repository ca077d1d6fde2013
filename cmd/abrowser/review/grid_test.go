//go:build linux

package review_test

import (
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// The first picture in the list is that of the first card on the screen, which is a tab that needs a person. While
// nothing happens, the list goes on saying how long ago the last command was.
func TestReviewList(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	for _, session := range []string{"a", "b", "z"} {
		h.Text(t, session, "open", s.URL("/page/"+session))
	}
	h.Text(t, "z", "session", "done", "--status", "failed")
	link, _ := startReview(t, h)
	h.Text(t, "person", "open", link)
	const first = `performance.getEntriesByType("resource").map((r) => r.name).find((name) => name.includes("picture?")) ?? ""`
	h.Text(t, "person", "wait", "--fn", first, "--timeout", "20000")
	if got := h.Text(t, "person", "eval", first); !strings.Contains(got, "session=z&") {
		t.Errorf("the first picture is %s, want that of session z", got)
	}
	h.Text(t, "person", "wait", "--fn", "document.querySelectorAll('.card img[src^=blob]').length === 4", "--timeout", "20000")
	const older = `(() => {
		const card = cards.get("a/t1");
		card.tab.lastCommand.at = new Date(Date.now() - 7200e3).toISOString();
		return card.item.innerText.includes("open, 2 h ago");
	})()`
	h.Text(t, "person", "wait", "--fn", older, "--timeout", "20000")
}
