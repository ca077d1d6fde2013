package web_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// logged waits until the session's console contains all of texts, and returns all messages of the
// console in alphabetical order.
func logged(t testing.TB, s *daemontest.Session, texts ...string) []string {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var all []string
		for _, m := range do(t, s, verbs.Console, verbs.ConsoleIn{}).Messages {
			all = append(all, m.Type+" "+m.Text)
		}
		slices.Sort(all)
		missing := slices.IndexFunc(texts, func(text string) bool { return !slices.Contains(all, text) })
		if missing < 0 || time.Now().After(end) {
			if missing >= 0 {
				t.Errorf("the console is %q, which lacks %q", all, texts[missing])
			}
			return all
		}
	}
}

// The console has the messages of frames of other origins, workers, popups and closed pages, from
// the first document on.
func TestConsole(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	if got := do(t, s, verbs.Console, verbs.ConsoleIn{}); len(got.Messages) != 0 || got.Text() != "no messages" {
		t.Errorf("the console of a new session is %+v", got)
	}
	open(t, s, web.URL("/console"))
	do(t, s, verbs.Click, verbs.ClickIn{Element: element("#popup")})
	do(t, s, verbs.TabClose, verbs.TabCloseIn{Tab: "t2"})
	open(t, s, web.URL("/page/one"))
	want := []string{"info from a worker", "log hello  1 {a: 1} null", "log hello frame 1 {a: 1} null", "log hello popup 1 {a: 1} null", "warning careful"}
	if got := logged(t, s, want...); !slices.Equal(got, want) {
		t.Errorf("the console is %q, want %q", got, want)
	}
	messages := do(t, s, verbs.Console, verbs.ConsoleIn{}).Messages
	raw, err := json.Marshal(messages[0].Args)
	if want := `[{"type":"string","value":"hello"},{"type":"string","value":""},{"type":"number","value":1},{"description":"{a: 1}","type":"object"},{"subtype":"null","type":"object","value":null}]`; err != nil || string(raw) != want {
		t.Errorf("the arguments are %s, %v, want %s", raw, err, want)
	}
	if place := messages[0].String(); !strings.HasPrefix(place, web.URL("/console")+":10:") {
		t.Errorf("the message is from %s", place)
	}
	if age := time.Since(time.UnixMilli(int64(messages[0].Timestamp))); age < 0 || age > patience {
		t.Errorf("the message is %v old", age)
	}
	if got := do(t, s, verbs.Console, verbs.ConsoleIn{Clear: true}); *got.Cleared != len(want) || len(got.Messages) != 0 {
		t.Errorf("clear answers %+v, want %d messages removed", got, len(want))
	}
	if got := do(t, s, verbs.Console, verbs.ConsoleIn{}); len(got.Messages) != 0 {
		t.Errorf("the cleared console is %+v", got)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/console"))
	do(t, s, verbs.Click, verbs.ClickIn{Element: element("#throw")})
	errors := do(t, s, verbs.Errors, verbs.ConsoleIn{}).Errors
	if len(errors) != 2 || !strings.HasPrefix(errors[0].Text, "TypeError: thrown later\n    at "+web.URL("/console")+":13:") || !strings.HasPrefix(errors[1].Text, "Error: thrown by a click\n") {
		t.Fatalf("the errors are %+v", errors)
	}
	if place := errors[0].String(); !strings.HasPrefix(place, web.URL("/console")+":13:") {
		t.Errorf("the error is from %s", place)
	}
	if got := do(t, s, verbs.Errors, verbs.ConsoleIn{Clear: true}); *got.Cleared != 2 {
		t.Errorf("clear answers %+v, want 2 errors removed", got)
	}
}

// The console can be read while the page runs a script.
func TestConsoleOfABusyPage(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, `setTimeout(() => { console.log("busy"); for (;;); }); 1`)
	logged(t, s, "log busy")
}

// The session's next daemon has the messages of the present document. In these messages, Chromium
// describes objects only by their types.
func TestConsoleAfterRestart(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/console?name=before"))
	open(t, s, web.URL("/console?name=now"))
	s.End(t)
	s = home.Resume(t, s.Name)
	want := []string{"log hello now 1 Object null"}
	if got := logged(t, s, want...); !slices.Equal(got, want) {
		t.Errorf("the console is %q, want %q", got, want)
	}
}

// The lists contain what a script that still runs has logged and requested. Chromium reports such
// requests to Playwright only when the script ends, or when Playwright asks the page.
func TestListsOfARunningScript(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, `setTimeout(() => {
		console.log("running");
		fetch("/page/running");
		for (const end = Date.now() + 12000; Date.now() < end; );
		fetch("/page/done");
	}); 1`)
	logged(t, s, "log running")
	if got := do(t, s, verbs.Requests, verbs.RequestsIn{Filter: "/page/running"}).Requests; len(got) != 1 {
		t.Errorf("the requests are %+v", got)
	}
	if web.Requests("/page/done") > 0 {
		t.Error("the lists did not change while the script ran")
	}
}
