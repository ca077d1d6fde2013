//go:build linux

package review_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
)

func TestMain(m *testing.M) { os.Exit(e2e.Main(m)) }

// startReview starts the command and returns the link that it prints. It ends with the test.
func startReview(t *testing.T, h *e2e.Home) (link string, end func()) {
	t.Helper()
	cmd := h.Prepared(context.WithoutCancel(t.Context()), "", "review", "--no-open")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	link, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	ended := false
	end = func() { endReview(t, cmd, &ended) }
	t.Cleanup(end)
	return strings.TrimSpace(link), end
}

func endReview(t *testing.T, cmd *exec.Cmd, ended *bool) {
	if *ended {
		return
	}
	*ended = true
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the review ended with %v", err)
	}
}

// A person opens the page, answers a question, takes a task's page over and types into it, hands it
// back, and closes tabs, which can be undone. A last picture is kept of a tab that is not incognito.
func TestReview(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/form"))
	h.Text(t, "other", "open", s.URL("/page/two"))
	h.Text(t, "private", "open", "--mode", "incognito", s.URL("/page/three"))
	link, end := startReview(t, h)
	h.Text(t, "person", "open", link)
	if !strings.Contains(h.Text(t, "person", "get", "text", "#grid"), "other/t1") {
		h.Text(t, "person", "wait", "--text", "other/t1")
	}
	h.Text(t, "person", "wait", "--fn", "document.querySelectorAll('.card img[src^=blob]').length >= 2", "--timeout", "20000")

	asked := h.Begin(t, "task", "ask-person", "type your name", "--timeout", "60000")
	h.Text(t, "person", "wait", "--text", "type your name", "--timeout", "20000")
	h.Text(t, "person", "click", `a[href="#task/t1"]`)
	h.Text(t, "person", "wait", "--fn", "document.querySelector('#live').src.startsWith('blob') && document.querySelector('#live').naturalWidth > 100", "--timeout", "20000")
	h.Text(t, "person", "click", "#take")
	h.Text(t, "person", "wait", "--text", "taken", "--timeout", "20000")
	waits, waitsToo := h.Begin(t, "task", "press", "End", "--timeout", "60000"), h.Begin(t, "task", "press", "End", "--timeout", "60000")

	clickInPicture(t, h, "task", "input")
	h.Text(t, "person", "keyboard", "type", "Grüße")
	if !e2e.Await(10*time.Second, func() bool { return h.Text(t, "task", "get", "value", "input") == "initGrüße" }) {
		t.Errorf("the field has %q", h.Text(t, "task", "get", "value", "input"))
	}
	select {
	case r := <-waits.Ended:
		t.Errorf("the task's command did not wait: %s", r)
	case r := <-waitsToo.Ended:
		t.Errorf("the task's other command did not wait: %s", r)
	default:
	}
	h.Text(t, "person", "click", ".question button")
	if r := <-asked.Ended; r.Status != 0 {
		t.Errorf("the question: %s", r)
	}
	h.Text(t, "person", "fill", "#note", "all yours")
	h.Text(t, "person", "click", "#give")
	one, two := <-waits.Ended, <-waitsToo.Ended
	if one.Status != 0 || two.Status != 0 || strings.Count(one.Stderr+two.Stderr, "the person says: all yours") != 1 {
		t.Errorf("after the hand-back: %s\n%s", one, two)
	}

	h.Text(t, "person", "click", "header h1 a")
	h.Text(t, "person", "click", `button[aria-label="Close other/t1"]`)
	h.Text(t, "person", "click", "#undo button")
	h.Text(t, "person", "click", `button[aria-label="Close private/t1"]`)
	h.Text(t, "person", "click", `button[aria-label="Close other/t1"]`)
	if !e2e.Await(20*time.Second, func() bool {
		tabs := h.Text(t, "", "tabs")
		return !strings.Contains(tabs, "other/t1") && !strings.Contains(tabs, "private/t1")
	}) {
		t.Error("the tabs were not closed")
	}
	root := home.Root{Dir: h.Dir}
	if kept, err := root.Pictures("other"); err != nil || len(kept) != 1 {
		t.Errorf("the last pictures of the closed tab are %v, %v", kept, err)
	}
	if kept, err := root.Pictures("private"); err != nil || len(kept) != 0 {
		t.Errorf("the last pictures of the incognito tab are %v, %v", kept, err)
	}
	if errors := h.Text(t, "person", "errors"); errors != "no errors" {
		t.Errorf("the page has errors: %s", errors)
	}
	end()
	if got := h.Text(t, "task", "get", "value", "input"); got != "initGrüße" {
		t.Errorf("after the review the field has %q", got)
	}
	if log := h.Text(t, "task", "session", "log"); strings.Contains(log, "console") || !strings.Contains(log, "press") {
		t.Errorf("the session's log is\n%s", log)
	}
}

// While a person uses a task's page, its dialogs wait for the person, and the person chooses files of
// their own for its file chooser.
func TestReviewAnswersThePage(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/dialogs"))
	h.Text(t, "task", "eval", `document.body.insertAdjacentHTML("beforeend", "<input type=file multiple id=files>"), 0`)
	link, _ := startReview(t, h)
	h.Text(t, "person", "open", link)
	h.Text(t, "person", "wait", `a[href="#task/t1"]`, "--timeout", "20000")
	h.Text(t, "person", "click", `a[href="#task/t1"]`)
	h.Text(t, "person", "click", "#take")
	h.Text(t, "person", "wait", "--fn", "document.querySelector('#live').naturalWidth > 100", "--timeout", "20000")
	use := func(selector string) {
		t.Helper()
		clickInPicture(t, h, "task", selector)
	}
	use("#confirm")
	h.Text(t, "person", "wait", "--text", "confirm: Sure?", "--timeout", "20000")
	h.Text(t, "person", "find", "role", "button", "click", "--name", "Accept")
	shows(t, h, "confirm true")
	use("#prompt")
	h.Text(t, "person", "wait", "--text", "prompt: Your name?", "--timeout", "20000")
	h.Text(t, "person", "fill", "#asks input", "Grace")
	h.Text(t, "person", "find", "role", "button", "click", "--name", "Accept")
	shows(t, h, "prompt Grace")

	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name+".txt"), []byte("from "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	use("#files")
	h.Text(t, "person", "wait", "#asks input[type=file]", "--timeout", "20000")
	h.Text(t, "person", "upload", "#asks input[type=file]", filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt"))
	h.Text(t, "person", "find", "role", "button", "click", "--name", "Give")
	h.Text(t, "person", "wait", "--fn", "!document.querySelector('#asks input[type=file]')", "--timeout", "20000")
	h.Text(t, "person", "click", "#give")
	got := h.Text(t, "task", "eval", "Promise.all([...document.querySelector('#files').files].map(async (f) => f.name + ': ' + await f.text())).then(String)")
	if want := `"a.txt: from a,b.txt: from b"`; got != want {
		t.Errorf("the page has the files %s, want %s", got, want)
	}
	if errors := h.Text(t, "person", "errors"); errors != "no errors" {
		t.Errorf("the review page has errors: %s", errors)
	}
}

// shows waits until the task's page shows a text.
func shows(t *testing.T, h *e2e.Home, want string) {
	t.Helper()
	got := ""
	if !e2e.Await(20*time.Second, func() bool { got = h.Text(t, "task", "get", "text", "#out"); return got == want }) {
		t.Errorf("the page shows %q, want %q", got, want)
	}
}

// clickInPicture clicks an element of a session's page in the picture that the review page shows.
func clickInPicture(t *testing.T, h *e2e.Home, session, selector string) {
	t.Helper()
	box := e2e.Ask[verbs.GetBoxOut](t, h, session, "get", "box", selector)
	live := e2e.Ask[verbs.GetBoxOut](t, h, "person", "get", "box", "#live")
	scale := live.Width / 1280
	x, y := live.X+(box.X+box.Width/2)*scale, live.Y+(box.Y+box.Height/2)*scale
	at := func(v float64) string { raw, _ := json.Marshal(int(v)); return string(raw) }
	h.Text(t, "person", "mouse", "move", at(x), at(y))
	h.Text(t, "person", "mouse", "down")
	h.Text(t, "person", "mouse", "up")
}

// Nobody gets in without the link, and the link works once.
func TestReviewKeepsOthersOut(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	link, _ := startReview(t, h)
	base := link[:strings.Index(link, "/open/")+1]
	get := func(url string, change func(*http.Request)) (int, http.Header, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(r)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, response.Header, string(body)
	}
	for name, url := range map[string]string{"no cookie": base, "the state": base + "state", "another link": base + "open/ABC"} {
		if status, _, body := get(url, nil); status != http.StatusForbidden || strings.Contains(body, "<script") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	for name, change := range map[string]func(*http.Request){
		"foreign origin": func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"foreign host":   func(r *http.Request) { r.Host = "evil.example" },
	} {
		if status, _, _ := get(link, change); status != http.StatusForbidden {
			t.Errorf("%s: %d", name, status)
		}
	}
	status, header, _ := get(link, nil)
	cookie := header.Get("Set-Cookie")
	if status != http.StatusOK || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") || !strings.Contains(cookie, "Path=/") || strings.Contains(cookie, "Path=/;") {
		t.Fatalf("the link: %d, %s", status, cookie)
	}
	if status, _, _ := get(link, nil); status != http.StatusForbidden {
		t.Errorf("the link worked twice: %d", status)
	}
	value, _, _ := strings.Cut(cookie, ";")
	status, header, _ = get(base, func(r *http.Request) { r.Header.Set("Cookie", value) })
	if policy := header.Get("Content-Security-Policy"); status != http.StatusOK || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("with the cookie: %d, %s", status, policy)
	}
	if status, _, _ := get(base, func(r *http.Request) { r.Header.Set("Cookie", value[:len(value)-1]+"x") }); status != http.StatusForbidden {
		t.Errorf("a wrong cookie: %d", status)
	}
}
