package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

func TestDialogs(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/dialogs"))
	for _, tt := range []struct{ selector, kind, handled, message, shown string }{
		{"#alert", "alert", "accepted", "Look", "alerted"},
		{"#confirm", "confirm", "dismissed", "Sure?", "confirm false"},
		{"#prompt", "prompt", "dismissed", "Your name?", "prompt null"},
	} {
		out, warnings, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element(tt.selector)})
		if err != nil || len(out.Dialogs) != 1 {
			t.Fatalf("click %s = %+v, %v", tt.selector, out, err)
		}
		if d := out.Dialogs[0]; d.Type != tt.kind || d.Handled != tt.handled || d.Message != tt.message {
			t.Errorf("click %s reports %+v", tt.selector, d)
		}
		if len(warnings) != 1 || !strings.Contains(warnings[0], tt.message) {
			t.Errorf("click %s warns %q", tt.selector, warnings)
		}
		if got := text(t, s, "#out"); got != tt.shown {
			t.Errorf("after %s the page shows %q, want %q", tt.selector, got, tt.shown)
		}
	}
	if d := do(t, s, verbs.DialogStatus, verbs.Empty{}); d.HasDialog {
		t.Errorf("dialog status = %+v", d)
	}
	eval(t, s, "setTimeout(() => { alert('between'); out.textContent = 'after' }, 50), 0")
	awaitText(t, s, "#out", "after")
	if out := do(t, s, verbs.Eval, verbs.EvalIn{Script: "alert('in a script'), 1"}); len(out.Dialogs) != 1 || string(out.Result) != "1" {
		t.Errorf("a script with a dialog = %+v", out)
	}
}

func TestDialogOnLeaving(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/leaving"))
	do(t, s, verbs.Click, verbs.ClickIn{Element: element("#touch")})
	out := do(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/page/next")})
	if out.Title != "next" || len(out.Dialogs) != 1 || out.Dialogs[0].Type != "beforeunload" || out.Dialogs[0].Handled != "accepted" {
		t.Errorf("leaving = %+v", out)
	}
}

// While a person uses the pages, a dialog waits for the person's answer. If there is none before the
// hand-back, the policy answers. A page that is closed waits for nobody.
func TestDialogsOfAPerson(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/dialogs"))
	begin := func(gate string) { // opens a dialog while a person uses the page
		t.Helper()
		eval(t, s, "fetch('/gate/"+gate+"').then(() => { out.textContent = String(prompt('Your name?')) }), 0")
		do(t, s, verbs.TakeOver, verbs.TakeOverIn{For: 60_000})
		web.Open(gate)
		awaitDialog(t, s, true)
	}
	begin("first")
	if out := do(t, s, verbs.DialogAccept, verbs.DialogAcceptIn{Text: "Ada"}); !out.Handled || !out.Accepted {
		t.Errorf("dialog accept = %+v", out)
	}
	awaitText(t, s, "#out", "Ada")
	if out := do(t, s, verbs.DialogDismiss, verbs.Empty{}); out.Handled { // for the next dialog
		t.Errorf("a second answer = %+v", out)
	}
	do(t, s, verbs.HandBack, verbs.HandBackIn{})
	if out := do(t, s, verbs.Click, verbs.ClickIn{Element: element("#alert")}); len(out.Dialogs) == 0 || out.Dialogs[len(out.Dialogs)-1].Handled != "dismissed" {
		t.Errorf("the next dialog = %+v", out)
	}
	begin("second")
	do(t, s, verbs.HandBack, verbs.HandBackIn{})
	awaitText(t, s, "#out", "null")

	begin("third")
	closeTarget(t, s, tabs(t, s)[0].TargetID)
	awaitDialog(t, s, false)
}

// awaitDialog waits until a dialog is open, or none is.
func awaitDialog(t testing.TB, s *daemontest.Session, open bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); do(t, s, verbs.DialogStatus, verbs.Empty{}).HasDialog != open; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("a dialog is open: %t, want %t", !open, open)
		}
	}
}

// awaitText waits until an element has this text.
func awaitText(t testing.TB, s *daemontest.Session, selector, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got = text(t, s, selector); got == want {
			return
		}
	}
	t.Errorf("%s has %q, want %q", selector, got, want)
}
