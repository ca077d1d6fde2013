package web_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// labelStyles is a style sheet for custom checkboxes and radio buttons: those of Bootstrap 4, those
// of icheck-bootstrap, a switch, and inputs that only assistive technology can find.
const labelStyles = `<style>
	.custom-control { position: relative; display: block; min-height: 24px; padding-left: 24px; margin: 10px }
	.custom-control-input { position: absolute; left: 0; z-index: -1; width: 16px; height: 20px; opacity: 0; margin: 0 }
	.custom-control-label { position: relative; margin-bottom: 0 }
	.custom-control-label::before { position: absolute; top: 2px; left: -24px; display: block; width: 16px; height: 16px; content: ""; background: #fff; border: 1px solid #adb5bd }
	.icheck { margin: 6px 0; min-height: 22px; padding-left: 0 }
	.icheck > input { opacity: 0; position: absolute; margin: 9px 0 0 0 }
	.icheck > label { padding-left: 29px; min-height: 22px; line-height: 22px; display: inline-block; position: relative }
	.icheck > input + label::before { content: ""; display: inline-block; position: absolute; width: 22px; height: 22px; border: 1px solid #d3cfc8; left: 0; top: 0 }
	.switch { position: relative; display: inline-block; width: 60px; height: 34px }
	.switch input { opacity: 0; width: 0; height: 0 }
	.slider { position: absolute; inset: 0; background: #ccc }
	.only { position: absolute; width: 1px; height: 1px; padding: 0; margin: -1px; overflow: hidden; clip: rect(0, 0, 0, 0); border: 0 }
</style>`

// labelPage returns a script that shows html. The script counts the trusted click and input events
// of #box, which may be in a shadow root. It also counts the clicks on links, and the input events
// of other elements.
func labelPage(html string) string {
	return fmt.Sprintf(`(() => {
		document.body.setHTMLUnsafe(%q);
		window.earlier?.abort(); // its listeners
		window.earlier = new AbortController();
		const { signal } = earlier;
		window.seen = { click: 0, input: 0, links: 0, others: 0 };
		for (const type of ["click", "input"]) addEventListener(type, (e) => {
			const [target] = e.composedPath();
			if (target.id === "box") seen[type] += e.isTrusted;
			else if (type === "input") seen.others++;
		}, { capture: true, signal });
		for (const a of document.querySelectorAll("a")) a.addEventListener("click", () => seen.links++);
		return 0;
	})()`, labelStyles+html)
}

// clickBy runs one of the verbs that click. The timeout is in milliseconds, and 0 stands for the
// default timeout.
func clickBy(t *testing.T, s *daemontest.Session, verb, selector string, timeout int) error {
	t.Helper()
	in := verbs.ElementIn{Element: element(selector), TimeoutIn: timed(timeout)}
	var err error
	switch verb {
	case "click":
		_, _, err = ask(t, s, verbs.Click, verbs.ClickIn{Element: in.Element, TimeoutIn: in.TimeoutIn})
	case "modified click": // the fast path does not support modifiers
		_, _, err = ask(t, s, verbs.Click, verbs.ClickIn{Element: in.Element, TimeoutIn: in.TimeoutIn, Modifiers: []string{"Alt"}})
	case "check":
		_, _, err = ask(t, s, verbs.Check, in)
	case "uncheck":
		_, _, err = ask(t, s, verbs.Uncheck, in)
	}
	return err
}

// TestClickThroughLabel checks checkboxes and radio buttons whose label a person would click, for
// example because the input is invisible or has no size. A click on such an input goes to the
// label, activates the input once, and activates nothing else.
func TestClickThroughLabel(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	inShadow := `<div><template shadowrootmode="open">` + labelStyles + `<div class="custom-control"><input type="checkbox" class="custom-control-input" id="box"><label class="custom-control-label" for="box"><b>Check</b></label></div></template></div>`
	const link = `<a href="#terms" style="display: inline-block; width: %s">the long terms and conditions</a>`
	for _, tt := range []struct{ name, html string }{
		{"Bootstrap checkbox", `<div class="custom-control"><input type="checkbox" class="custom-control-input" id="box"><label class="custom-control-label" for="box">Check</label></div>`},
		{"Bootstrap checkbox without a text", `<div class="custom-control"><input type="checkbox" class="custom-control-input" id="box"><label class="custom-control-label" for="box"></label></div>`},
		{"Bootstrap radio", `<div class="custom-control"><input type="radio" name="r" class="custom-control-input" id="box"><label class="custom-control-label" for="box">One</label></div>
			<div class="custom-control"><input type="radio" name="r" class="custom-control-input" id="other"><label class="custom-control-label" for="other">Two</label></div>`},
		{"icheck", `<div class="icheck"><input type="checkbox" id="box"><label for="box">Remember</label></div>`},
		{"icheck radio", `<div class="icheck"><input type="radio" name="r" id="box"><label for="box">One</label></div><div class="icheck"><input type="radio" name="r" id="other"><label for="other">Two</label></div>`},
		{"switch", `<label class="switch"><input type="checkbox" id="box"><span class="slider"></span></label>`},
		{"clipped", `<p>text</p><input type="checkbox" class="only" id="box"><label for="box">Label</label>`},
		{"outside of the page", `<input type="checkbox" id="box" style="position: absolute; left: -9999px"><label for="box">Label</label>`},
		{"without a size", `<input type="checkbox" id="box" style="appearance: none; width: 0; height: 0; margin: 0; position: absolute"><label for="box">Label</label>`},
		{"not displayed", `<label><input type="checkbox" id="box" style="display: none">Label</label>`},
		{"hidden", `<label for="box">Label</label><input type="checkbox" id="box" style="visibility: hidden">`},
		{"no pointer events", `<input type="checkbox" id="box" style="pointer-events: none"><p><label for="box">Label</label></p>`},
		{"label elsewhere", `<input type="checkbox" class="only" id="box"><div style="height: 2000px"></div><label for="box">Label</label><div style="height: 2000px"></div>`},
		{"link in the middle of the label", `<label for="box">` + fmt.Sprintf(link, "90%") + ` ok</label><input type="checkbox" class="only" id="box">`},
		{"link at the input's point", `<label style="position: relative; display: inline-block; padding: 0 40px"><input type="checkbox" id="box" style="opacity: 0; position: absolute; left: 60px">
			<a href="#terms" style="position: relative; padding: 0 30px">terms</a> and more</label>`},
		{"label with two controls", `<label><input type="checkbox" class="only" id="box"> Colour <input id="other"> and <button type="button">more</button></label>`},
		{"visible beside a label", `<label><input type="checkbox" id="box"> Label</label>`},
		{"in a shadow root", inShadow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, verb := range []string{"click", "modified click", "check"} {
				eval(t, s, labelPage(tt.html))
				if err := clickBy(t, s, verb, "#box", 0); err != nil {
					t.Errorf("%s: %v", verb, err)
				}
				if got := eval(t, s, "seen"); got != `{"click":1,"input":1,"links":0,"others":0}` {
					t.Errorf("%s: the page counted %s", verb, got)
				}
			}
			if strings.Contains(tt.html, "radio") {
				return
			}
			if err := clickBy(t, s, "uncheck", "#box", 0); err != nil {
				t.Errorf("uncheck: %v", err)
			}
			if got := eval(t, s, "[seen.input, seen.links, seen.others]"); got != "[2,0,0]" {
				t.Errorf("uncheck: the page counted %s", got)
			}
		})
	}
}

// The verb check on a label around a checkbox does the same as on the checkbox itself, even if
// there is a link at the centre of the label.
func TestCheckOfALabelWithALink(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, labelPage(`<label id="label" style="display: inline-block"><input type="checkbox" id="box"> I accept <a href="#terms" style="display: inline-block; width: 600px">the terms</a></label>`))
	if err := clickBy(t, s, "check", "#label", 0); err != nil {
		t.Error(err)
	}
	if got := eval(t, s, "seen"); got != `{"click":1,"input":1,"links":0,"others":0}` {
		t.Errorf("the page counted %s", got)
	}
}

// A checkbox is not clicked through its label if something else covers it, if its label is
// covered too, if each point of the label is in a link, or if it is disabled.
func TestNotThroughLabel(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	for _, tt := range []struct{ name, html, want string }{
		{"covered by something else", `<input type="checkbox" id="box"><label for="box">Label</label><div style="position: absolute; left: 0; top: 0; width: 30px; height: 60px"></div>`, "is covered by <div"},
		{"label of another input", `<div class="custom-control"><input type="checkbox" class="custom-control-input" id="box"><label class="custom-control-label" for="other">Label</label></div><input type="checkbox" id="other">`, "is covered by <label"},
		{"covered with its label", `<input type="checkbox" class="only" id="box"><label for="box">Label</label><div style="position: fixed; inset: 0"></div>`, "is covered by <div"},
		{"nothing but a link in the label", `<input type="checkbox" class="only" id="box"><label for="box"><a href="#terms">terms</a></label>`, "is covered by <a"},
		{"disabled", `<input type="checkbox" class="only" id="box" disabled><label for="box">Label</label>`, "is not enabled"},
		{"without a label", `<input type="checkbox" id="box" style="display: none">`, "not visible"},
		{"a text field", `<input id="box" style="opacity: 0; position: absolute; left: 8px; z-index: -1"><label for="box" style="background: #fff">Label Label Label Label Label Label</label>`, "is covered by <label"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eval(t, s, labelPage(tt.html))
			err := clickBy(t, s, "click", "#box", 1500)
			if !errors.Is(err, wire.CodeNotActionable) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("click = %v, want %s: %s", err, wire.CodeNotActionable, tt.want)
			}
			if got := eval(t, s, "seen"); got != `{"click":0,"input":0,"links":0,"others":0}` {
				t.Errorf("the page counted %s", got)
			}
		})
	}
}

// If the page moves the label away between the check and the input, the input does not reach the
// element that is there now, and the click is repeated.
func TestLabelMovesAway(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	for _, verb := range []string{"click", "modified click", "check"} {
		eval(t, s, labelPage(`<div><input type="checkbox" id="box" style="position: absolute; left: -9999px"><label for="box" id="label">Label <a href="#terms" id="link" hidden>terms</a></label></div>`))
		// When the mouse moves, a link covers the whole page, label included. It vanishes after 300
		// ms.
		eval(t, s, `label.addEventListener("mousemove", () => {
			link.hidden = false; link.style = "position: fixed; inset: 0";
			setTimeout(() => { link.hidden = true; link.style = ""; }, 300);
		}, { once: true }), 0`)
		if err := clickBy(t, s, verb, "#box", 0); err != nil {
			t.Errorf("%s: %v", verb, err)
		}
		if got := eval(t, s, "seen"); got != `{"click":1,"input":1,"links":0,"others":0}` {
			t.Errorf("%s: the page counted %s", verb, got)
		}
	}
}

// A click is also confirmed if the page itself handles the click on the label, as iCheck does.
func TestPageHandlesClickOnLabel(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	for _, verb := range []string{"click", "modified click", "check"} {
		eval(t, s, labelPage(`<div class="icheck"><input type="checkbox" id="box"><label for="box" id="label">Remember</label></div>`))
		eval(t, s, `window.handled = 0, label.addEventListener("click", (e) => { handled++; e.preventDefault(); box.checked = !box.checked }), 0`)
		if err := clickBy(t, s, verb, "#box", 0); err != nil {
			t.Errorf("%s: %v", verb, err)
		}
		if got := eval(t, s, `[handled, box.checked]`); got != "[1,true]" {
			t.Errorf("%s: the page handled and has %s", verb, got)
		}
	}
}
