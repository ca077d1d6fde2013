package web_test

import (
	"strings"
	"testing"

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
	eval(t, s, "setTimeout(() => alert('between'), 50), 0")
	do(t, s, verbs.Wait, verbs.WaitIn{What: "300"})
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
