package web_test

import (
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Until a held key is released, it affects later commands, including clicks.
func TestHeldKeys(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, logOf(`<button id="go">Go</button><input id="field">`, "keydown", "keyup", "click"))
	click := func() { do(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")}) }
	click()
	if out := do(t, s, verbs.Keydown, verbs.KeyIn{Key: "Shift"}); out.Pressed != "Shift" {
		t.Errorf("keydown = %+v", out)
	}
	click()
	if out := do(t, s, verbs.Keyup, verbs.KeyIn{Key: "Shift"}); out.Released != "Shift" {
		t.Errorf("keyup = %+v", out)
	}
	click()
	if got := eval(t, s, "log.join()"); got != `"click:0,keydown:Shift:shift,click:0:shift,keyup:Shift,click:0"` {
		t.Errorf("the page got %s", got)
	}
	fails(t, s, verbs.Keydown, verbs.KeyIn{Key: "Shiftt"}, wire.CodeBadInput)
	fails(t, s, verbs.Keyup, verbs.KeyIn{Key: "Shiftt"}, wire.CodeBadInput)
}

// The keyboard commands write into the element that has the focus. If no field has the focus, keys
// act as shortcuts, and the insertion of a text is refused.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, logOf(`<input id="field"><div id="note" contenteditable></div><input type="checkbox" id="box">`, "keydown", "input"))
	fails(t, s, verbs.KeyboardInsert, verbs.InsertTextIn{Text: "lost", TimeoutIn: verbs.TimeoutIn{Timeout: 4000}}, wire.CodeNotActionable)
	do(t, s, verbs.KeyboardType, verbs.KeyboardTypeIn{Text: "k"})
	do(t, s, verbs.Focus, verbs.ElementIn{Element: element("#box")})
	fails(t, s, verbs.KeyboardInsert, verbs.InsertTextIn{Text: "lost", TimeoutIn: verbs.TimeoutIn{Timeout: 4000}}, wire.CodeNotActionable)
	do(t, s, verbs.Focus, verbs.ElementIn{Element: element("#field")})
	if out := do(t, s, verbs.KeyboardType, verbs.KeyboardTypeIn{Text: "ab"}); out.Typed != "ab" {
		t.Errorf("keyboard type = %+v", out)
	}
	if out := do(t, s, verbs.KeyboardInsert, verbs.InsertTextIn{Text: "ü日"}); !out.Inserted {
		t.Errorf("keyboard inserttext = %+v", out)
	}
	if got := value(t, s, "#field"); got != "abü日" {
		t.Errorf("the field has %q", got)
	}
	if got := eval(t, s, "log.join()"); got != `"keydown:k,keydown:a,input,keydown:b,input,input"` {
		t.Errorf("the page got %s", got)
	}
	do(t, s, verbs.Focus, verbs.ElementIn{Element: element("#note")})
	do(t, s, verbs.KeyboardInsert, verbs.InsertTextIn{Text: "note"})
	if got := text(t, s, "#note"); got != "note" {
		t.Errorf("the editable element has %q", got)
	}
}
