package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// calmPage is a format string for a script that makes a page with an element #go. It takes the
// page's HTML, the number of further elements, the milliseconds that the first frame after a click
// on #go takes, and the statements that run on the click. Timers that these statements set fire
// after that frame.
const calmPage = `document.body.innerHTML = %q + "<i></i>".repeat(%d); window.clicked = window.frame = 0;
	(function next() { requestAnimationFrame(() => {
		const follows = clicked;
		for (const end = Date.now() + (follows ? %d : 30); Date.now() < end;);
		if (follows) frame = Date.now(); else next();
	}) })();
	document.querySelector("#go").addEventListener("click", (e) => { clicked = 1; %s }); 0`

const large = 2000 // further elements that make the page a large one

// On a large page, a click that neither navigates nor submits a form is answered when the page has
// handled the click event, and before the page has painted. The next command waits until the
// page has also done the work that it has deferred.
func TestClickIsAnsweredBeforeThePagePaints(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	const clicks = 5
	early := 0
	for range clicks {
		eval(t, s, fmt.Sprintf(calmPage, "<button id=go>go</button>", large, 700, "setTimeout(() => clicked++)"))
		do(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")})
		at := time.Now().UnixMilli()
		if got := eval(t, s, "clicked"); got != "2" {
			t.Errorf("after the click the page is at %s, want 2: it has done its deferred work", got)
		}
		if frame := eval(t, s, "frame"); frame > fmt.Sprint(at) { // the numbers have the same length
			early++
		}
	}
	// If replies waited for the page to paint, none would be early. A reply that does not wait is
	// late only if this process does not run during the 700 ms that the page takes to paint.
	if early == 0 {
		t.Errorf("all %d clicks were answered after the page had painted", clicks)
	}
}

// A click that navigates is answered when the new page is there.
func TestClickThatNavigates(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	for _, tt := range []struct{ name, html, does string }{
		{"a link", `<a id=go href="/slow?ms=100">go</a>`, ""},
		{"within a link", `<a href="/slow?ms=100"><b id=go>go</b></a>`, ""},
		{"a form", `<form action="/slow"><input name=ms value=100><button id=go>go</button></form>`, ""},
		{"a form elsewhere", `<form id=f action="/slow"><input name=ms value=100></form><input type=submit id=go form=f>`, ""},
		{"a form that a script sends", `<form id=f action="/slow"><input name=ms value=100></form><button id=go>go</button>`, "document.forms.f.requestSubmit()"},
		{"a label", `<form action="/slow"><input name=ms value=100><label id=go>go<input type=submit hidden></label></form>`, ""},
		{"a script", `<button id=go>go</button>`, `location.href = "/slow?ms=100"`},
		{"a field that is called as a method", `<form action="/slow"><input name=ms value=100><input name=matches><button id=go>go</button></form>`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open(t, s, web.URL("/form"))
			eval(t, s, fmt.Sprintf(calmPage, tt.html, large, 100, tt.does))
			do(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")})
			if got := do(t, s, verbs.Status, verbs.Empty{}).URL; got != web.URL("/slow?ms=100") && got != web.URL("/slow?ms=100&matches=") {
				t.Errorf("when the click is answered the page is at %s", got)
			}
		})
	}
}

// Work that a page has deferred in a click is done even if the next command closes the session
// and the page.
func TestCloseWaitsForDeferredWork(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(calmPage, "<button id=go>go</button><form id=f action=/page/sent></form>", large, 800, "document.forms.f.submit()"))
	do(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")})
	do(t, s, verbs.Close, verbs.CloseIn{Page: true})
	if got := web.Requests("/page/sent"); got != 1 {
		t.Errorf("the form was sent %d times", got)
	}
}

// If a click sets a timer that opens a tab, the reply to the click names the tab. On a large page,
// or if the timer fires later, the click can be answered before. A warning in a later reply then
// names the tab instead. The tab is named only once.
func TestTabOpenedByTimer(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	for _, tt := range []struct {
		name  string
		more  int // further elements of the page
		after int // milliseconds until the timer fires
	}{{"a page", 0, 0}, {"a large page", large, 0}, {"a page, late", 0, 300}, {"a large page, late", large, 1500}} {
		t.Run(tt.name, func(t *testing.T) {
			clicks := 5
			if tt.after > 0 {
				clicks = 2
			}
			late := 0
			for range clicks {
				open(t, s, web.URL("/form"))
				eval(t, s, fmt.Sprintf(calmPage, "<button id=go>go</button>", tt.more, 100, fmt.Sprintf(`setTimeout(() => window.open("/page/opened"), %d)`, tt.after)))
				clicked, warnings, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")})
				if err != nil {
					t.Fatal(err)
				}
				told := len(clicked.Opened)
				if told == 0 {
					late++
				}
				told += countAbout(warnings, "/page/opened")
				if told += laterWarnings(t, s, told, "/page/opened"); told != 1 {
					t.Errorf("the tab was reported %d times", told)
				}
				for _, tab := range do(t, s, verbs.TabList, verbs.TabListIn{}).Tabs {
					if !tab.Active { // otherwise the pool of tabs would soon be full
						do(t, s, verbs.TabClose, verbs.TabCloseIn{Tab: tab.TabID})
					}
				}
			}
			// On a busy machine the page may report a click late. That click is then answered after
			// the timer has fired. See overTime.
			switch {
			case tt.after > 0: // each click may be answered before or after the timer has fired
			case tt.more == 0 && late > 0:
				t.Errorf("%d of %d replies to clicks did not name the tab", late, clicks)
			case tt.more > 0 && late == 0:
				t.Errorf("all %d clicks were answered after the page had painted", clicks)
			}
		})
	}
}

// laterWarnings runs commands that only read until one of them warns of the text, unless told is
// positive, and then two more. It returns the number of warnings.
func laterWarnings(t *testing.T, s *daemontest.Session, told int, text string) (n int) {
	t.Helper()
	more := 2
	for end := time.Now().Add(20 * time.Second); more > 0 && time.Now().Before(end); {
		if told+n > 0 {
			more--
		}
		_, warnings, err := ask(t, s, verbs.GetURL, verbs.TabIn{})
		if err != nil {
			t.Fatal(err)
		}
		n += countAbout(warnings, text)
	}
	return n
}

func countAbout(warnings []string, text string) (n int) {
	for _, warning := range warnings {
		if strings.Contains(warning, text) {
			n++
		}
	}
	return n
}

// A download that a page begins in a timer after a click is reported once: by the click, or by a
// warning in the reply to the next command, even if that command only reads.
func TestDownloadBegunByTimer(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	const begin = `setTimeout(() => { const a = document.createElement("a"); a.href = "/download/a/late.txt?ms=%d"; a.download = ""; a.click() }, %d)`
	for _, tt := range []struct {
		name         string
		more         int // further elements of the page
		after, takes int // milliseconds until the page begins the download, and until the server responds
		byClick      bool
	}{
		{"on a page", 0, 0, 0, true},
		{"on a page, from a slow server", 0, 0, 500, true},
		{"on a large page", large, 0, 0, false},
		{"on a page, late", 0, 1000, 0, false},
		{"on a large page, late", large, 1000, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open(t, s, web.URL("/form"))
			eval(t, s, fmt.Sprintf(calmPage, "<button id=go>go</button>", tt.more, 100, fmt.Sprintf(begin, tt.takes, tt.after)))
			clicked, warnings, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")})
			if err != nil {
				t.Fatal(err)
			}
			told := len(clicked.Downloads)
			if tt.byClick && told != 1 {
				t.Errorf("the reply to the click names %d downloads", told)
			}
			// If the download begins just before the reply to the click, this reply warns of it.
			told += countAbout(warnings, "late.txt")
			if told += laterWarnings(t, s, told, "late.txt"); told != 1 {
				t.Errorf("the download was reported %d times", told)
			}
		})
	}
}
