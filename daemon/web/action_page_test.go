package web_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A checkbox that the page checks or replaces by itself ends up as requested, and is clicked
// once at most.
func TestCheckOfABoxThatChanges(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	for _, tt := range []struct{ name, before, clicks string }{
		{"the page checks it while it is waited for", `box.disabled = true; setTimeout(() => { box.checked = true; box.disabled = false }, 500)`, "0"},
		{"the page checks it while it moves", `let x = 0; box.style.position = "relative"; (function move() { box.style.left = ++x + "px"; if (x < 60) requestAnimationFrame(move); else box.checked = true })()`, "0"},
		{"the page replaces it when it is clicked", `box.onchange = () => { box.outerHTML = '<input type="checkbox" id="box" checked>' }`, "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open(t, s, web.URL("/form"))
			eval(t, s, fmt.Sprintf(oncePage, `go.insertAdjacentHTML("afterend", '<input type="checkbox" id="box">'); const box = document.querySelector("#box");
				box.onclick = () => clicks++;`+tt.before))
			if _, _, err := ask(t, s, verbs.Check, verbs.ElementIn{Element: element("#box")}); err != nil {
				t.Errorf("check: %v", err)
			}
			if got := eval(t, s, `clicks + " " + document.querySelector("#box").checked`); got != fmt.Sprintf("%q", tt.clicks+" true") {
				t.Errorf("clicks, and whether it is checked: %s", got)
			}
		})
	}
}

// If the page does not acknowledge the keys of a chord in time, the keys are released before the
// next command.
func TestKeysAreReleased(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(oncePage, `let once = 0; addEventListener("keydown", () => once++ || block(8000))`))
	fails(t, s, verbs.Press, verbs.PressIn{Key: "Control+b", TimeoutIn: timed(2500)}, wire.CodeResultUnknown)
	do(t, s, verbs.Type, verbs.TypeIn{Element: element("#name"), Text: "abc"})
	if got := eval(t, s, `document.querySelector("#name").value`); got != `"abc"` {
		t.Errorf("the field has %s", got)
	}
}

// A chord with a key that does not exist sends nothing.
func TestPressOfAnUnknownKey(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(oncePage, "name.focus()"))
	for _, key := range []string{"a+", "Control+", "Control+a+", "Control+nokey", "nokey"} {
		eval(t, s, "input = 0")
		fails(t, s, verbs.Press, verbs.PressIn{Key: key}, wire.CodeBadInput)
		if got := eval(t, s, "input"); got != "0" {
			t.Errorf("press %q sent %s events", key, got)
		}
	}
	do(t, s, verbs.Press, verbs.PressIn{Key: "Shift++"})
	do(t, s, verbs.Press, verbs.PressIn{Key: "+"})
	if got := eval(t, s, `document.querySelector("#name").value`); got != `"++"` {
		t.Errorf("the field has %s", got)
	}
}

// A fill with a value that the field does not accept changes nothing.
func TestFillOfAMalformedValue(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(oncePage, `go.insertAdjacentHTML("afterend", '<input type="date" id="day" value="2020-02-03"><input type="range" id="range" max="100" value="7">')`))
	for _, selector := range []string{"#day", "#range"} {
		fails(t, s, verbs.Fill, verbs.FillIn{Element: element(selector), Text: "500"}, wire.CodeNotActionable)
	}
	if got := eval(t, s, `document.querySelector("#day").value + " " + document.querySelector("#range").value`); got != `"2020-02-03 7"` {
		t.Errorf("the fields have %s", got)
	}
}

// If a page stops its events before the driver's listeners can observe them, the input is still
// sent only once.
func TestPageHidesItsEvents(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	press := func() error {
		_, _, err := ask(t, s, verbs.Press, verbs.PressIn{Key: "a"})
		return err
	}
	typing := func() error {
		_, _, err := ask(t, s, verbs.Type, verbs.TypeIn{Element: element("#name"), Text: "a"})
		return err
	}
	fill := func() error {
		_, _, err := ask(t, s, verbs.Fill, verbs.FillIn{Element: element("#name"), Text: "a"})
		return err
	}
	click := func() error {
		_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("#go"), Modifiers: []string{"Alt"}})
		return err
	}
	const hide = `window.seen = 0; const hide = (types, f) => types.forEach((type) => addEventListener(type, (e) => { e.stopImmediatePropagation(); seen++; f?.(e) }, true)); `
	do(t, s, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept"})
	for _, tt := range []struct {
		name, does string
		act        func() error
		known      bool
	}{
		{"press", `name.focus(); hide(["keydown"])`, press, true},
		{"press and alert", `name.focus(); hide(["keydown"], () => alert("pressed"))`, press, true},
		{"type", `hide(["keydown"])`, typing, true},
		{"type and replace", `hide(["keydown"], () => document.querySelector("#name").outerHTML = "<input id=name>")`, typing, false},
		{"fill", `hide(["beforeinput"]); hide(["input"], () => { seen-- })`, fill, true},
		{"fill and replace", `hide(["beforeinput"]); hide(["input"], () => { seen--; document.querySelector("#name").outerHTML = "<input id=name>" })`, fill, true},
		{"click", `hide(["pointerdown", "mousedown", "pointerup", "mouseup"], () => seen--); hide(["click"])`, click, false},
		{"click and alert", `hide(["pointerdown", "mousedown", "pointerup", "mouseup"], () => seen--); hide(["click"], () => alert("clicked"))`, click, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open(t, s, web.URL("/form"))
			eval(t, s, fmt.Sprintf(oncePage, hide+tt.does))
			err := tt.act()
			got := eval(t, s, "seen")
			if got != "1" || tt.known && err != nil || !tt.known && !errors.Is(err, wire.CodeResultUnknown) {
				t.Errorf("the page saw it %s times, and the error is %v", got, err)
			}
		})
	}
}

// A double click whose second press goes elsewhere is not confirmed.
func TestDoubleClickIsConfirmed(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(oncePage, `go.onmousedown = (e) => { e.preventDefault(); go.style = "position: absolute; top: 300px" }`))
	fails(t, s, verbs.Dblclick, verbs.ElementIn{Element: element("#go")}, wire.CodeResultUnknown)
}

// An option is selected once even if its value looks like an error of Playwright.
func TestSelectOfAnError(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(oncePage, `go.insertAdjacentHTML("afterend", '<select id="kind"><option>ok</option><option>error:none</option></select>'); document.querySelector("#kind").onchange = () => clicks++`))
	do(t, s, verbs.Select, verbs.SelectIn{Element: element("#kind"), Values: []string{"error:none"}, TimeoutIn: timed(4000)})
	if got := eval(t, s, "clicks"); got != "1" {
		t.Errorf("the option was selected %s times", got)
	}
}

// A click reports that the page was closed during the wait for the element.
func TestPageClosesWhileItIsWaitedFor(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, `window.open(location.href), 0`)
	do(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: "t2"})
	eval(t, s, fmt.Sprintf(oncePage, `go.disabled = true; setTimeout(() => window.close(), 600)`))
	_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("#go"), TimeoutIn: timed(3000)})
	if !errors.Is(err, wire.CodePageClosed) {
		t.Errorf("the error is %v (%s)", err, wire.AsError(err).Code)
	}
}
