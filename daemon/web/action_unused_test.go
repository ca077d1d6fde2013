package web_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// clickedUnused clicks an element and reports whether the reply has the warning that nothing uses
// the click.
func clickedUnused(t *testing.T, s *daemontest.Session, in verbs.ClickIn) bool {
	t.Helper()
	_, warnings, err := ask(t, s, verbs.Click, in)
	if err != nil {
		t.Fatalf("click %q = %v", in.Selector, err)
	}
	return slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "nothing on the page uses a click") })
}

// A click that nothing on the page can use succeeds with a warning, both on the fast path and
// through the driver. If something may use the click, there is no warning.
func TestUnusedClick(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	const list = `<div id="x"><ul hidden></ul></div>`
	// The next change is always queued before the task in which the click ends. A timer may fire too late.
	const changing = `const c = new MessageChannel(); c.port1.onmessage = () => c.port2.postMessage(y.textContent = Date.now()); c.port1.onmessage()`
	for _, tt := range []struct {
		name, html, script string
		want               bool
	}{
		{"a text", `<p id="x">Text</p>`, "", true},
		{"a link without an address", `<a id="x">Text</a>`, "", true},
		{"a part of a table", `<table><tr><td id="x">Text</td><td><a href="#">Link</a></td></tr></table>`, "", true},
		{"a text in an open shadow root", `<div id="host"></div>`, `host.attachShadow({mode: "open"}).innerHTML = '<p id="x">Text</p>'`, true},
		{"a listener elsewhere", `<p id="x">Text</p><p id="y">Text</p>`, `y.onclick = () => 1`, true},
		{"a listener for keys", `<p id="x">Text</p>`, `addEventListener("keydown", () => 1)`, true},
		{"a rule for its own color", `<style>p:hover { color: red }</style><p id="x">Text</p>`, "", true},
		{"a rule for what is in another", `<style>b:hover i { color: red }</style><p id="x">Text</p>`, "", true},
		{"a button", `<button id="x">Go</button>`, "", false},
		{"a part of a link", `<a href="#a"><b id="x">Go</b></a>`, "", false},
		{"a link in it", `<p id="x" style="width: 50px"><a href="#a" style="display: block">Go</a></p>`, "", false},
		{"a label", `<label id="x">Name <input></label>`, "", false},
		{"a summary", `<details><summary><b id="x">More</b></summary>Text</details>`, "", false},
		{"an editor", `<div contenteditable><p id="x">Text</p></div>`, "", false},
		{"what takes the focus", `<div tabindex="0"><p id="x">Text</p></div>`, "", false},
		{"its listener", `<p id="x">Text</p>`, `x.addEventListener("pointerup", () => 1)`, false},
		{"its handler", `<p id="x">Text</p>`, `x.onclick = () => 1`, false},
		{"its attribute", `<p id="x" onmousedown="1">Text</p>`, "", false},
		{"a listener around it", `<div id="y"><p id="x">Text</p></div>`, `y.addEventListener("click", () => 1)`, false},
		{"a listener of the document", `<p id="x">Text</p>`, `document.addEventListener("click", () => 1)`, false},
		{"a capturing listener of the window", `<p id="x">Text</p>`, `addEventListener("mousedown", () => 1, true)`, false},
		{"a listener in an open shadow root", `<div id="host"></div>`, `host.attachShadow({mode: "open"}).innerHTML = '<div onclick="1"><p id="x">Text</p></div>'`, false},
		{"a listener of a slot", `<div id="host"><p id="x">Text</p></div>`, `host.attachShadow({mode: "open"}).innerHTML = '<slot onclick="1"></slot>'`, false},
		{"a custom element with a closed shadow root", `<my-box><p id="x">Text</p></my-box>`, `document.querySelector("my-box").attachShadow({mode: "closed"}).innerHTML = '<slot onclick="1"></slot>'`, false},
		{"a listener of the field that loses the focus", `<p id="x">Text</p><input id="y" onblur="1">`, "y.focus()", false},
		{"a field that loses the focus and does not listen", `<p id="x">Text</p><input id="y">`, "y.focus()", true},
		{"a menu of styles", `<style>ul { display: none } #x:hover > ul { display: block }</style><div id="x">Menu<ul><li>Item</li></ul></div>`, "", false},
		{"a menu of nested styles", `<style>#x { &:hover > ul { display: block } }</style>` + list, "x.append('Menu')", false},
		{"a drawing with an animation", `<svg width="90" height="90"><rect id="x" width="90" height="90"><animate attributeName="x" to="9" begin="click" dur="1s"/></rect></svg>`, "", false},
		{"an open popover", `<p id="x">Text</p><div id="y" popover style="inset: auto 0 0 auto">Tip</div>`, "y.showPopover()", false},
		{"a page that changes", `<p id="x">Text</p><i id="y"></i>`, changing, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			html, err := json.Marshal(tt.html)
			if err != nil {
				t.Fatal(err)
			}
			open(t, s, web.URL("/page/one"))
			eval(t, s, "document.body.innerHTML = "+string(html)+"; 0")
			if tt.script != "" {
				eval(t, s, tt.script+"; 0")
			}
			do(t, s, verbs.Snapshot, verbs.SnapshotIn{Interactive: true})
			in := verbs.ClickIn{Element: element("#x")}
			if got := clickedUnused(t, s, in); got != tt.want {
				t.Errorf("the warning of a click is %t, want %t", got, tt.want)
			}
			if strings.Contains(tt.script, "focus()") {
				eval(t, s, tt.script+"; 0")
			}
			if strings.Contains(tt.script, "showPopover") {
				return // the first click has closed the popover
			}
			in.Modifiers = []string{"Alt"} // the fast path does not support modifiers
			if got := clickedUnused(t, s, in); got != tt.want {
				t.Errorf("the warning of a click by the driver is %t, want %t", got, tt.want)
			}
		})
	}
}

// Without a snapshot the listeners of a page are not known, so a click causes no warning.
func TestClickWithoutASnapshot(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	in := verbs.ClickIn{Element: element("h1")}
	if clickedUnused(t, s, in) {
		t.Error("a click without a snapshot has the warning")
	}
	do(t, s, verbs.Snapshot, verbs.SnapshotIn{})
	if !clickedUnused(t, s, in) {
		t.Error("the same click after a snapshot has no warning")
	}
	open(t, s, web.URL("/page/two"))
	if clickedUnused(t, s, in) {
		t.Error("a click on the next page, without a snapshot of it, has the warning")
	}
}

// A click in a frame causes no warning, because the page around the frame may use the click.
func TestClickInAFrameHasNoWarning(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, `document.body.innerHTML = '<h2>Outer</h2><iframe srcdoc="<h2>Inner</h2>"></iframe>'; 0`)
	do(t, s, verbs.Wait, verbs.WaitIn{Script: `frames[0].document.querySelector("h2") !== null`})
	out := snapshot(t, s)
	for _, tt := range []struct {
		name string
		want bool
	}{
		{"Outer", true},
		{"Inner", false},
		{"Outer", false}, // the frame has the focus and loses it
	} {
		if got := clickedUnused(t, s, verbs.ClickIn{Element: element(refOf(t, out, "heading", tt.name))}); got != tt.want {
			t.Errorf("the warning of a click on %s is %t, want %t", tt.name, got, tt.want)
		}
	}
}
