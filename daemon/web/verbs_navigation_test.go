package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	out := open(t, s, strings.TrimPrefix(web.URL("/page/one"), "http://"))
	if out.URL != web.URL("/page/one") || out.Title != "one" || out.TabID != "t1" || out.TargetID == "" {
		t.Errorf("open without a scheme = %+v", out)
	}
	again := open(t, s, web.URL("/page/two"))
	if again.TargetID != out.TargetID {
		t.Errorf("the second open is on another page: %s, then %s", out.TargetID, again.TargetID)
	}
	for _, tt := range []struct {
		name string
		step func() verbs.PageURL
		want string
	}{
		{"back", func() verbs.PageURL { return do(t, s, verbs.Back, verbs.StepIn{}) }, web.URL("/page/one")},
		{"forward", func() verbs.PageURL { return do(t, s, verbs.Forward, verbs.StepIn{}) }, web.URL("/page/two")},
		{"reload", func() verbs.PageURL { return do(t, s, verbs.Reload, verbs.StepIn{}) }, web.URL("/page/two")},
	} {
		if got := tt.step().URL; got != tt.want {
			t.Errorf("%s = %s, want %s", tt.name, got, tt.want)
		}
	}
	if got := do(t, s, verbs.GetTitle, verbs.TabIn{}).Title; got != "two" {
		t.Errorf("get title = %q", got)
	}
	if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/page/two") {
		t.Errorf("get url = %q", got)
	}
}

// The command open returns the title that the document has at its load event. The title is empty if
// the document has none, whatever the browser shows instead.
func TestOpenTitle(t *testing.T) {
	t.Parallel()
	s := home.Start(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, r.URL.Query().Get("html"))
	}))
	t.Cleanup(server.Close)
	for _, tt := range []struct{ html, want string }{
		{"<title>first</title>", "first"},
		{"<p>none", ""},
		{"<title>127.0.0.1 is the host</title>", "127.0.0.1 is the host"},
		{"<title>  a\n b </title>", "a b"},
		{"<title>before</title><body onload=\"document.title = 'at load'\">", "at load"},
		{"<title>&lt;b&gt; &amp; more</title>", "<b> & more"},
		{"<title>" + strings.Repeat("long ", 1000) + "</title>", strings.TrimSpace(strings.Repeat("long ", 1000))},
		{"<title>last</title>", "last"},
	} {
		for _, to := range []string{server.URL + "/a b/?html=" + url.QueryEscape(tt.html), "data:text/html," + url.PathEscape(tt.html)} {
			if got := open(t, s, to).Title; got != tt.want {
				t.Errorf("the title of %.80q is %.80q, want %.80q", to, got, tt.want)
			}
		}
	}
}

// A page that does not respond reports no title. The browser's answer for it is used only if it
// cannot be the URL that the browser shows for a page without a title. If the browser has cut a title,
// the page gets more time to report all of it.
func TestTitleOfABusyPage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 500)
	for _, tt := range []struct {
		name, path, head string
		blocked          bool // the page does not respond until the test is over; otherwise for 800 ms
		want             string
	}{
		{"without a title, busy for a moment", "", "", false, ""},
		{"title like its URL, busy for a moment", "", "<title>127.0.0.1 is the host</title>", false, "127.0.0.1 is the host"},
		{"without a title, busy for long", "", "", true, ""},
		{"title, busy for long", "", "<title>busy</title>", true, "busy"},
		{"long title, busy for a moment", "", "<title>" + long + "</title>", false, long},
		{"long title, busy for long", "", "<title>" + long + "</title>", true, long[:4096]},
		{"long URL and no title, busy for long", long, "", true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := home.Start(t)
			over := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				busy := "for (const end = Date.now() + 800; Date.now() < end;);"
				if tt.blocked {
					busy = "const request = new XMLHttpRequest(); request.open('GET', '/blocked', false); request.send();"
				}
				if r.URL.Path == "/blocked" {
					<-over
				}
				_, _ = fmt.Fprintf(w, `%s<body onload="setTimeout(() => { %s })">`, tt.head, busy)
			}))
			t.Cleanup(server.Close)
			t.Cleanup(func() { close(over) })
			out := open(t, s, server.URL+"/"+tt.path)
			if out.Title != tt.want {
				t.Errorf("the title at open is %.80q (%d bytes), want %.80q", out.Title, len(out.Title), tt.want)
			}
			if got := do(t, s, verbs.GetTitle, verbs.TabIn{}).Title; got != tt.want {
				t.Errorf("get title = %.80q (%d bytes), want %.80q", got, len(got), tt.want)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	for _, url := range []string{"javascript:alert(1)", "chrome://settings", "view-source:http://x.test/", "about:config", "http://", "/etc/passwd"} {
		fails(t, s, verbs.Open, verbs.OpenIn{URL: url}, wire.CodeBadInput)
	}
	fails(t, s, verbs.Open, verbs.OpenIn{URL: "http://127.0.0.1:1/"}, wire.CodeNavigation)
	fails(t, s, verbs.Open, verbs.OpenIn{URL: "http://no.such.host.invalid/"}, wire.CodeNavigation)
}

// The reply to a failed open command is sent only when the browser already shows its error page.
// Therefore the error page cannot replace the page that the next open command opens.
func TestOpenAfterAnOpenThatFailed(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	for range 3 {
		for _, bad := range []string{"http://127.0.0.1:1/", "http://localhost:9/", "http://no.such.host.invalid/"} {
			fails(t, s, verbs.Open, verbs.OpenIn{URL: bad}, wire.CodeNavigation)
			fails(t, s, verbs.Reload, verbs.StepIn{}, wire.CodeNavigation)
			if got := open(t, s, web.URL("/page/good")).Title; got != "good" {
				t.Errorf("after %s: the title is %q", bad, got)
			}
		}
	}
}

func TestOpenWithoutLoad(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	began := time.Now()
	out, warnings, err := ask(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/stuck"), TimeoutIn: verbs.TimeoutIn{Timeout: 5000}})
	if err != nil || out.Title != "Stuck" || len(warnings) != 1 || !strings.Contains(warnings[0], "load event") {
		t.Errorf("open of a page that never loads = %+v, %q, %v, want success with a warning", out, warnings, err)
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	do(t, s, verbs.Click, verbs.ClickIn{Element: element("#button")})
	if got := text(t, s, "#button"); got != "pressed" {
		t.Errorf("the page cannot be used: %q", got)
	}
}

// When the time of an open is over, the driver is asked whether the document is parsed. The driver may
// take a moment to respond. Here it is suspended when it is asked.
func TestOpenWithoutLoadBesideASlowDriver(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/before"))
	const timeout = 3 * time.Second
	pid := sharedDriver(t)
	time.AfterFunc(timeout-200*time.Millisecond, func() { _ = syscall.Kill(pid, syscall.SIGSTOP) })
	resume := time.AfterFunc(timeout+200*time.Millisecond, func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	out, warnings, err := ask(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/stuck"), TimeoutIn: verbs.TimeoutIn{Timeout: int(timeout.Milliseconds())}})
	if err != nil || out.Title != "Stuck" || len(warnings) != 1 || !strings.Contains(warnings[0], "load event") {
		t.Errorf("open of a page that never loads = %+v, %q, %v, want success with a warning", out, warnings, err)
	}
	if resume.Stop() {
		_ = syscall.Kill(pid, syscall.SIGCONT)
		t.Error("the open ended before the driver was resumed")
	}
}

func TestOpenThatNeverAnswers(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/before"))
	fails(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/never"), TimeoutIn: verbs.TimeoutIn{Timeout: 700}}, wire.CodeTimeout)
	fails(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/slow?ms=2500&name=late"), TimeoutIn: verbs.TimeoutIn{Timeout: 700}}, wire.CodeTimeout)
	time.Sleep(2500 * time.Millisecond)
	if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/page/before") {
		t.Errorf("the navigation that was given up happened later: the page is at %s", got)
	}
	if got := open(t, s, web.URL("/page/after")).Title; got != "after" {
		t.Errorf("the next open has the title %q", got)
	}
}

func TestDrippingPage(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/drip?n=3&ms=300"))
	if got := do(t, s, verbs.GetCount, verbs.GetIn{Element: element(".drop")}).Count; got != 3 {
		t.Errorf("open returned after %d of 3 drops", got)
	}
}

// A navigation that the page began can be committed while the command open begins. The navigation
// of the command is the later one, so the page must end up at the command's URL.
func TestOpenWhileThePageNavigates(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/first"))
	for ms := range 60 {
		do(t, s, verbs.Eval, verbs.EvalIn{Script: fmt.Sprintf("void setTimeout(() => { location = %q }, %d)", web.URL("/page/other"), ms/2)})
		to := web.URL(fmt.Sprintf("/page/%d", ms))
		out, _, err := ask(t, s, verbs.Open, verbs.OpenIn{URL: to})
		if err != nil || out.URL != to {
			t.Fatalf("open %d ms before the page's own navigation: %s, %v", ms/2, out.URL, err)
		}
	}
}
