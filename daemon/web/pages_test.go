package web_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// questions counts how often the broker was asked for the session's tabs.
func questions(t *testing.T, s *daemontest.Session) int {
	t.Helper()
	log, err := os.ReadFile(home.Broker(t).Log)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(log, fmt.Appendf(nil, `"verb":"broker tabs","session":%q`, s.Name))
}

// After a command without side effects, the daemon does not ask the broker for tabs. If a command
// has side effects, such as a new tab or a dialog, its reply reports them.
func TestQuietCommandsSendNoRequest(t *testing.T) {
	t.Parallel()
	web, s := site.Start(t), home.Start(t)
	open(t, s, web.URL("/page/quiet"))
	eval(t, s, fmt.Sprintf(quickPage, ""))
	quiet := func() int {
		before := questions(t, s)
		eval(t, s, "1")
		return questions(t, s) - before
	}
	// Wait until the load of the page has no more effects. The page is one that requests no icon
	// from the server, since the response to this request could come at any later moment.
	for end := time.Now().Add(patience); quiet() > 0; {
		if time.Now().After(end) {
			t.Fatal("a command on a page that does nothing still asks the broker for tabs")
		}
	}
	// The fast path gives a page 100 ms to begin a fill, and 1 s for a click. If the page or the
	// machine is busy, the driver performs the command, and the daemon then asks the broker for tabs.
	// So the command is tried again.
	mayBeQuiet := func(name string, tries int, run func()) {
		for range tries {
			before := questions(t, s)
			if run(); questions(t, s) == before {
				return
			}
		}
		t.Errorf("the broker was asked after each of %d times %s", tries, name)
	}
	mayBeQuiet("eval", 1, func() { eval(t, s, "({})") })
	mayBeQuiet("fill", 100, func() { do(t, s, verbs.Fill, verbs.FillIn{Element: element("#name"), Text: "text"}) })
	mayBeQuiet("click", 100, func() { do(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")}) })
	popup := do(t, s, verbs.Eval, verbs.EvalIn{Script: "window.open('about:blank'), 1"})
	if len(popup.Opened) != 1 {
		t.Errorf("a script that opens a tab = %+v", popup)
	}
	if clicked := do(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")}); len(clicked.Opened) != 0 {
		t.Errorf("the next command is told of it, too: %+v", clicked)
	}
	eval(t, s, "onkeydown = () => window.open('about:blank')")
	if pressed := do(t, s, verbs.Press, verbs.PressIn{Key: "a"}); len(pressed.Opened) != 1 {
		t.Errorf("a key that opens a tab, after a quiet command = %+v", pressed)
	}
	if asked := do(t, s, verbs.Eval, verbs.EvalIn{Script: "alert('hello'), 1"}); len(asked.Dialogs) != 1 {
		t.Errorf("a script that shows a dialog = %+v", asked)
	}
	eval(t, s, "document.querySelector('#go').onclick = () => window.open('about:blank')")
	if clicked := do(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")}); len(clicked.Opened) != 1 {
		t.Errorf("a click that opens a tab = %+v", clicked)
	}
}
