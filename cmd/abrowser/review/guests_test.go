//go:build linux

package review_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// Titles, URLs, console messages, questions and notes of pages and tasks are shown as text. No other
// page can show the review page in a frame.
func TestReviewShowsMarkupAsText(t *testing.T) {
	t.Parallel()
	const attack = `"'><img src=x onerror="document.title='broken in'"><script>document.title='broken in'</script>`
	s, h := site.Start(t), e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/page/one?")+attack+"#"+attack)
	h.Text(t, "task", "eval", "document.title = "+quoted(attack)+", console.error("+quoted("said "+attack)+"), history.pushState(0, '', location.pathname + '?<b>'), 0")
	h.Text(t, "task", "session", "done", "--status", "failed", "--note", "note "+attack)
	asked := h.Begin(t, "task", "ask-person", "asks "+attack, "--timeout", "60000")
	link, _ := startReview(t, h)
	h.Text(t, "person", "open", link)
	h.Text(t, "person", "wait", "--text", "asks "+attack, "--timeout", "20000")
	grid := h.Text(t, "person", "get", "text", "#grid")
	h.Text(t, "person", "click", `a[href="#task/t1"]`)
	h.Text(t, "person", "wait", "--text", "said "+attack, "--timeout", "20000")
	h.Text(t, "person", "wait", "#asks .question", "--timeout", "20000") // the console may be shown before it
	detail := h.Text(t, "person", "get", "text", "#detail")
	if !strings.Contains(grid, attack) || !strings.Contains(detail, "t1 "+attack) || !strings.Contains(detail, "asks "+attack) {
		t.Errorf("the grid shows %q, and the tab %q", grid, detail)
	}
	if got := h.Text(t, "person", "eval", "document.querySelectorAll('img:not(.card img, #live), script:not([src]), b').length + ' ' + document.title"); got != `"0 (1) abrowser review"` {
		t.Errorf("the review page has elements of the attack: %s", got)
	}
	h.Text(t, "person", "click", ".question button")
	if r := <-asked.Ended; r.Status != 0 {
		t.Errorf("the question: %s", r)
	}

	base := link[:strings.Index(link, "/open/")+1]
	framing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<iframe src="` + base + `"></iframe>`))
	}))
	defer framing.Close()
	h.Text(t, "person", "open", framing.URL)
	if got := h.Text(t, "person", "snapshot"); strings.Contains(got, "Search") {
		t.Errorf("another page shows the review page in a frame: %s", got)
	}
}

// quoted returns a text as a JavaScript string.
func quoted(text string) string { return "`" + text + "`" }

// The review page shows that the daemon of the task is gone, and goes on after the broker was killed. A
// task that continues is shown again.
func TestReviewOutlivesTheirDeath(t *testing.T) {
	t.Parallel()
	s, h, own := site.Start(t), e2e.NewHome(t), e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/page/one"))
	link, _ := startReview(t, h)
	own.Text(t, "person", "open", link)
	own.Text(t, "person", "wait", `a[href="#task/t1"]`, "--timeout", "20000")
	own.Text(t, "person", "click", `a[href="#task/t1"]`)
	own.Text(t, "person", "wait", "--fn", "document.querySelector('#live').naturalWidth > 100", "--timeout", "20000")
	is := func(activity string) {
		t.Helper()
		own.Text(t, "person", "wait", "--fn", "document.querySelector('#activity').textContent == '"+activity+"'", "--timeout", "30000")
	}
	is("idle")
	own.Text(t, "person", "click", "#take")
	is("taken")
	if err := e2e.Kill(h.Daemon("task")); err != nil {
		t.Fatal(err)
	}
	is("released")
	own.Text(t, "person", "click", "header h1 a") // hands back what nobody holds
	own.Text(t, "person", "click", `a[href="#task/t1"]`)

	if err := e2e.Kill(h.Of(e2e.KindBroker)[0]); err != nil {
		t.Fatal(err)
	}
	h.Text(t, "task", "open", s.URL("/page/two"))
	is("idle")
	own.Text(t, "person", "wait", "--text", "task/t1 two", "--timeout", "20000")
	number := own.Text(t, "person", "eval", "document.querySelector('#live').src")
	h.Text(t, "task", "eval", "document.body.style.background = 'red', 0")
	if !e2e.Await(20*time.Second, func() bool { return own.Text(t, "person", "eval", "document.querySelector('#live').src") != number }) {
		t.Error("the picture does not change after the broker was killed")
	}
	if got := own.Text(t, "person", "get", "text", "#problem"); got != "" {
		t.Errorf("the review page still reports %q", got)
	}
}

// All tabs for review are closed together, except those that are kept. It can be undone.
func TestReviewKeepsTabs(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	for _, task := range []string{"a", "b", "c"} {
		h.Text(t, task, "open", s.URL("/page/"+task))
		h.Text(t, task, "close")
	}
	link, _ := startReview(t, h)
	h.Text(t, "person", "open", link)
	h.Text(t, "person", "wait", `button[aria-label="Keep b/t1 open"]`, "--timeout", "20000")
	h.Text(t, "person", "click", `button[aria-label="Keep b/t1 open"]`)
	h.Text(t, "person", "wait", `button[aria-label="Keep b/t1 open"][aria-pressed=true]`, "--timeout", "20000")
	h.Text(t, "person", "click", "#close-released")
	h.Text(t, "person", "wait", "--text", "Closing 2 tabs", "--timeout", "20000")
	if got := h.Text(t, "person", "get", "text", "#grid"); strings.Contains(got, "a/t1") || !strings.Contains(got, "b/t1") {
		t.Errorf("the grid shows %q", got)
	}
	h.Text(t, "person", "click", "#undo button")
	h.Text(t, "person", "wait", `button[aria-label="Close a/t1"]`, "--timeout", "20000")
	h.Text(t, "person", "click", "#close-released")
	released := func() string { return h.Text(t, "", "tab", "list", "--all") }
	if !e2e.Await(30*time.Second, func() bool { return !strings.Contains(released(), "a/t1") && !strings.Contains(released(), "c/t1") }) || !strings.Contains(released(), "[b/t1] released kept") {
		t.Errorf("after the tabs were closed: %s", released())
	}
}
