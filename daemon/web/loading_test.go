package web_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// parseTime is how long the server delays the second half of a document.
const parseTime = 150 * time.Millisecond

// startLoading starts a server and returns its URL. The elements of the page / navigate to /next in
// different ways. The query parameter "to" of that page replaces /next by another path. The
// document of /next comes in two halves: the first commits the navigation, and the second has all
// of the content.
func startLoading(t *testing.T) string {
	t.Helper()
	over := make(chan struct{})
	next := func(wait time.Duration, second string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, `<!doctype html><p id="first">first`+strings.Repeat(" ", 2000))
			w.(http.Flusher).Flush()
			select {
			case <-time.After(wait):
			case <-over:
			}
			_, _ = io.WriteString(w, second)
		}
	}
	const content = `<title>Next</title><h1>next</h1><p class="row">1<p class="row">2<input id="in" value="v" checked type="checkbox"><script>app = {v: 1}</script>`
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		to := r.URL.Query().Get("to")
		if to == "" {
			to = "/next"
		}
		_, _ = fmt.Fprintf(w, `<title>Start</title><a id="link" href="%[1]s">link</a> <a id="below" href="%[1]s" style="position: absolute; top: 5000px">below</a>
<form action="%[1]s"><input id="field" name="f"><button id="submit">submit</button></form>
<button id="script" onclick="location.href = '%[1]s'">script</button>
<select id="select" onchange="location.href = '%[1]s'"><option>a<option>b</select>
<input id="box" type="checkbox" onchange="location.href = '%[1]s'">
<input id="live" oninput="location.href = '%[1]s'">`, to)
	})
	mux.HandleFunc("GET /next", next(parseTime, content))
	mux.HandleFunc("GET /endless", next(time.Hour, content))
	mux.HandleFunc("GET /slow", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(1500 * time.Millisecond): // longer than a click waits for a navigation
		case <-over:
		}
		next(parseTime, content)(w, r)
	})
	mux.HandleFunc("GET /via", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>Via</title><script>location.replace("/next")</script>`)
	})
	mux.HandleFunc("GET /silent", func(http.ResponseWriter, *http.Request) { <-over })
	server := httptest.NewServer(mux)
	t.Cleanup(func() { close(over); server.Close() })
	return server.URL
}

// reads returns functions that read the document, by the names of their verbs. Each function
// returns the value that it has read, and the value that is right for /next.
func reads(s *daemontest.Session) map[string]func(*testing.T) (got, want string) {
	str := func(v any) string { return fmt.Sprint(v) }
	return map[string]func(*testing.T) (got, want string){
		"get title": func(t *testing.T) (string, string) { return do(t, s, verbs.GetTitle, verbs.TabIn{}).Title, "Next" },
		"get text":  func(t *testing.T) (string, string) { return text(t, s, "h1"), "next" },
		"get count": func(t *testing.T) (string, string) {
			return str(do(t, s, verbs.GetCount, verbs.GetIn{Element: element(".row")}).Count), "2"
		},
		"get value": func(t *testing.T) (string, string) { return value(t, s, "#in"), "v" },
		"is visible": func(t *testing.T) (string, string) {
			return str(do(t, s, verbs.IsVisible, verbs.GetIn{Element: element("h1")}).Visible), "true"
		},
		"is checked": func(t *testing.T) (string, string) {
			return str(do(t, s, verbs.IsChecked, verbs.GetIn{Element: element("#in")}).Checked), "true"
		},
		"eval": func(t *testing.T) (string, string) { return eval(t, s, "app.v"), "1" },
		"snapshot": func(t *testing.T) (string, string) {
			return str(strings.Contains(do(t, s, verbs.Snapshot, verbs.SnapshotIn{}).Snapshot, `heading "next"`)), "true"
		},
		"page state": func(t *testing.T) (string, string) { return do(t, s, verbs.PageState, verbs.TabIn{}).Title, "Next" },
	}
}

// After a command that navigates, the next command waits until the new document is parsed, and uses
// this document.
func TestReadingAfterANavigation(t *testing.T) {
	t.Parallel()
	s, at := home.Start(t), startLoading(t)
	all := reads(s)
	// The first command asks the page, the second asks Playwright, and the third runs a script.
	few := []string{"get title", "get count", "eval"}
	for _, a := range []struct {
		name, from string
		act        func(t *testing.T)
		reads      []string
	}{
		{"click on a link", "/", click(s, "#link"), slices.Collect(maps.Keys(all))},
		{"click out of view", "/", click(s, "#below"), few},
		{"submit", "/", click(s, "#submit"), few},
		{"script", "/", click(s, "#script"), few},
		{"press on a link", "/", press(s, "#link"), few},
		{"press in a form", "/", press(s, "#field"), few},
		{"select", "/", func(t *testing.T) {
			do(t, s, verbs.Select, verbs.SelectIn{Element: element("#select"), Values: []string{"b"}})
		}, few},
		{"check", "/", func(t *testing.T) { do(t, s, verbs.Check, verbs.ElementIn{Element: element("#box")}) }, few},
		{"fill", "/", func(t *testing.T) { do(t, s, verbs.Fill, verbs.FillIn{Element: element("#live"), Text: "x"}) }, few},
		{"type", "/", func(t *testing.T) { do(t, s, verbs.Type, verbs.TypeIn{Element: element("#live"), Text: "x"}) }, few},
		{"eval", "/", func(t *testing.T) { eval(t, s, "document.querySelector('#link').click(), 0") }, few},
		{"eval of a form", "/", func(t *testing.T) { eval(t, s, "document.querySelector('form').requestSubmit(), 0") }, few},
		{"a slow server", "/?to=/slow", click(s, "#link"), few},
		{"a page between", "/?to=/via", click(s, "#link"), few},
	} {
		for _, name := range a.reads {
			t.Run(a.name+", "+name, func(t *testing.T) {
				open(t, s, at+a.from)
				a.act(t)
				if got, want := all[name](t); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			})
		}
	}
}

func click(s *daemontest.Session, selector string) func(*testing.T) {
	return func(t *testing.T) { do(t, s, verbs.Click, verbs.ClickIn{Element: element(selector)}) }
}

func press(s *daemontest.Session, selector string) func(*testing.T) {
	return func(t *testing.T) {
		do(t, s, verbs.Focus, verbs.ElementIn{Element: element(selector)})
		do(t, s, verbs.Press, verbs.PressIn{Key: "Enter"})
	}
}

func TestReadingAfterANavigationInABatch(t *testing.T) {
	t.Parallel()
	s, at := home.Start(t), startLoading(t)
	for _, acts := range [][]verbs.Step{
		{step(t, "click", verbs.ClickIn{Element: element("#link")})},
		{step(t, "fill", verbs.FillIn{Element: element("#field"), Text: "x"}), step(t, "press", verbs.PressIn{Key: "Enter"})},
		{step(t, "eval", verbs.EvalIn{Script: "document.querySelector('form').requestSubmit()"})},
	} {
		steps := slices.Concat([]verbs.Step{step(t, "open", verbs.OpenIn{URL: at})}, acts, []verbs.Step{step(t, "eval", verbs.EvalIn{Script: "app.v"})})
		out := do(t, s, verbs.Batch, verbs.BatchIn{Steps: steps})
		for _, result := range out.Results {
			if !result.Success {
				t.Errorf("%v: %s", result.Command, *result.Error)
			}
		}
	}
}

// If a document never ends, only one command waits for it. Commands then read the document as far
// as it is parsed.
func TestReadingAnEndlessDocument(t *testing.T) {
	t.Parallel()
	s, at := home.Start(t), startLoading(t)
	open(t, s, at+"/?to=/endless")
	click(s, "#link")(t)
	began := time.Now()
	out, warnings, err := ask(t, s, verbs.GetText, verbs.GetIn{Element: element("#first")})
	first := time.Since(began)
	if err != nil || strings.TrimSpace(out.Value) != "first" || len(warnings) != 1 {
		t.Errorf("get text = %q, %q, %v, want what is there, with a warning", out.Value, warnings, err)
	}
	began = time.Now()
	if got := eval(t, s, "document.readyState"); got != `"loading"` {
		t.Errorf("the document is %s", got)
	}
	if again := time.Since(began); again > first/2 {
		t.Errorf("the second command takes %v, the first %v", again, first)
	}
	click(s, "#first")(t)
	open(t, s, at)
}

// If the server does not send the next document, a command that reads the document fails. The
// commands get url, get title and open still succeed.
func TestReadingADocumentThatDoesNotCome(t *testing.T) {
	t.Parallel()
	s, at := home.Start(t), startLoading(t)
	open(t, s, at+"/?to=/silent")
	click(s, "#link")(t)
	if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != at+"/?to=/silent" {
		t.Errorf("get url = %s", got)
	}
	if got := do(t, s, verbs.GetTitle, verbs.TabIn{}).Title; got != "Start" {
		t.Errorf("get title = %q", got)
	}
	fails(t, s, verbs.GetText, verbs.GetIn{Element: element("#link")}, wire.CodeTimeout)
	if got := open(t, s, at+"/next").Title; got != "Next" {
		t.Errorf("the title after open is %q", got)
	}
	if got := text(t, s, "h1"); got != "next" {
		t.Errorf("after open the page shows %q", got)
	}
}

// On a page that is not loading, a click and a read use only the direct connection to the page.
// They do not ask the driver, which is suspended here, whether the page is loading.
func TestAPageAtRestIsNotWaitedFor(t *testing.T) {
	s, at := home.Start(t), startLoading(t)
	open(t, s, at+"/next")
	click(s, "h1")(t)
	pid := sharedDriver(t)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for range 2 {
		click(s, "h1")(t)
		for _, name := range []string{"get title", "get text", "get value", "eval", "page state"} {
			if got, want := reads(s)[name](t); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
	// A driver that does not respond for several seconds is killed and replaced. If that has
	// happened here, no process has this pid any more, and the signal fails.
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

// When a new daemon adopts a page, the page may be navigating to a server that does not respond. A
// command that does not need the next document does not wait for that server.
func TestAdoptingAPageThatLoads(t *testing.T) {
	t.Parallel()
	s, at := home.Start(t), startLoading(t)
	leave := func(to string) *daemontest.Session {
		open(t, s, at+"/?to="+to)
		click(s, "#link")(t)
		s.End(t)
		return home.Resume(t, s.Name)
	}
	// The limit is four times the expected time. Connecting takes 500 ms. Then get url and get
	// title each wait 1 s (adoptTime) for the page, which does not respond.
	limit := 4 * (500*time.Millisecond + 2*time.Second)
	s = leave("/silent")
	began := time.Now()
	if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != at+"/?to=/silent" {
		t.Errorf("get url = %s", got)
	}
	if got := do(t, s, verbs.GetTitle, verbs.TabIn{}).Title; got != "Start" {
		t.Errorf("get title = %q", got)
	}
	if took := time.Since(began); took > limit {
		t.Errorf("get url and get title took %v", took)
	}
	began = time.Now()
	if got := open(t, s, at+"/next").Title; got != "Next" {
		t.Errorf("open in its place shows %q", got)
	}
	if took := time.Since(began); took > limit {
		t.Errorf("open took %v", took)
	}
	s = leave("/silent")
	if got := open(t, s, at+"/next").Title; got != "Next" {
		t.Errorf("open as the first command shows %q", got)
	}
	if got := tabs(t, s); len(got) != 1 {
		t.Errorf("the tabs are %+v", got)
	}
	s = leave("/slow")
	if got := text(t, s, "h1"); got != "next" {
		t.Errorf("when the server has answered the page shows %q", got)
	}
}
