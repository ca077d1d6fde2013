package web_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// An element that people use in a real app has one ref, and a name by which people can recognize
// it. Each page reproduces what the test in daemon/web/walk has found in an app.
func TestSnapshotOfUsable(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	const pointer = ` style="cursor: pointer"`
	for _, tt := range []struct{ name, html, want string }{
		{"a container that listens for its parts", `<div class="on">Shop <button>Buy</button><p>Tea</p></div>`, `button "Buy" [ref]`},
		{"a field in a box that listens", `<div class="on"><span>Choose</span><input role="combobox" aria-label="Country"></div>`, `combobox "Country" [expanded=false, ref]`},
		{"a box that listens", `<div class="on">Card</div>`, `generic "Card" [ref] clickable`},
		{"a label beside its checkbox", `<input type="checkbox" id="a"><label for="a"` + pointer + `>Bold <b>text</b></label>`, `checkbox "Bold text" [checked=false, ref]`},
		{"a label around its radio", `<label title="Draw a line"` + pointer + `><input type="radio" aria-label="Line"><b>6</b></label>`, `radio "Line" [checked=false, ref]`},
		{"a label by its id", `<label id="l" class="on">Country</label><div role="combobox" tabindex="0" aria-labelledby="l">Peru</div>`, `combobox "Country" [expanded=false, ref]: Peru`},
		{"a label whose control has no area", `<label` + pointer + `><input type="radio" style="width: 0; height: 0; opacity: 0; position: absolute"><span>List</span></label>`, `generic "List" [ref] clickable`},
		{"stars", `<span` + pointer + `><label for="r1">One star</label><input type="radio" id="r1"><label for="r2">Two stars</label><input type="radio" id="r2"></span>`, `radio "One star" [checked=false, ref] / radio "Two stars" [checked=false, ref]`},
		{"a cell with a link", `<table><tr><td><a href="#">1</a></td><td>2</td></tr></table>`, `row /   link "1" [ref] /   cell "2" [ref]`},
		{"a cell with a link and a text", `<table><tr><td>Day <a href="#">1</a></td></tr></table>`, `row /   cell "Day 1" [ref] /     link "1" [ref]`},
		{"a heading with a button", `<h2><button>Is it free?</button></h2><h2>Prices</h2>`, `button "Is it free?" [ref] / heading "Prices" [level=2, ref]`},
		{"a tab with a link", `<ul role="tablist"><li role="tab" tabindex="0"><a href="#one">One</a></li></ul>`, `tab "One" [ref]`},
		{"a link without pointer events", `<a href="#" style="pointer-events: none">Previous</a>`, `link "Previous" [disabled, ref]`},
		{"a menu item without pointer events", `<div role="menuitem" tabindex="-1" style="pointer-events: none">Toys</div>`, `menuitem "Toys" [disabled, ref]`},
		{"a handle to resize a column", `<div>Name</div><span class="on" style="cursor: col-resize; display: inline-block; width: 9px; height: 9px"></span><button>Go</button>`, `button "Go" [ref]`},
		{"an overlay of a checkbox", `<div><input type="checkbox" aria-label="Milk"><ins class="on" style="display: inline-block; width: 9px; height: 9px"></ins></div>`, `checkbox "Milk" [checked=false, ref]`},
		{"an icon that removes a chip", `<div role="button" tabindex="0"><span>Chip</span><svg class="on" data-testid="CancelIcon" width="9" height="9"><path d="M0 0h9v9H0z"/></svg></div>`, `button "Chip" [ref] /   image "CancelIcon" [ref]`},
		{"a select in place of a hidden one", `<label for="s">State</label><select id="s" tabindex="-1" aria-hidden="true" style="width: 1px"><option>Texas</option></select>
			<span><span role="combobox" tabindex="0" aria-labelledby="c"><span id="c" role="textbox" aria-readonly="true">Texas</span></span></span>`, `combobox "State" [expanded=false, ref]: Texas`},
		{"an item that the page keeps hidden", `<div role="menuitem" aria-hidden="true" style="opacity: 0">More</div><button>Go</button>`, `button "Go" [ref]`},
		{"a field with a class and a text beside it", `<ul><li><input type="checkbox" class="toggle"><span>Milk</span></li></ul>`, `checkbox (Milk) [checked=false, ref]`},
		{"a field beside the label of another one", `<div><select><option>A</option></select><label for="a">Agree</label><input type="checkbox" id="a"></div>`, `combobox [expanded=false, ref]: A / checkbox "Agree" [checked=false, ref]`},
		{"a field beside the text of another one", `<div>Amount <select><option>A</option></select><span id="l">Agree</span><input type="checkbox" aria-labelledby="l"></div>`, `combobox (Amount) [expanded=false, ref]: A / checkbox "Agree" [checked=false, ref]`},
		{"fields after the label of the first", `<div><span id="l">Agree</span><input type="checkbox" aria-labelledby="l"><div><select><option>A</option></select></div></div>`, `checkbox "Agree" [checked=false, ref] / combobox [expanded=false, ref]: A`},
		{"a field with a class only", `<input class="form-control">`, `textbox "form-control" [ref]`},
		{"a handle that shows its cursor under the mouse", `<style>.h:hover { cursor: ew-resize }</style><div>Name</div><span class="on h" style="display: inline-block; width: 9px; height: 9px"></span><button>Go</button>`, `button "Go" [ref]`},
		{"a scroll bar", `<div aria-hidden="true"><div class="on slider" style="width: 9px; height: 90px"></div></div><button>Go</button>`, `button "Go" [ref]`},
		{"an icon with a listener and without a name", `<div class="star on" style="width: 9px; height: 9px"></div>`, `generic "star" [ref] clickable`},
		{"a page behind a dialog", `<div id="root" aria-hidden="true"><button>Go</button></div><div style="position: fixed; inset: 0"><button>OK</button></div>`, `button "OK" [ref]`},
		{"a hidden part that is not covered", `<div id="root" aria-hidden="true"><button>Go</button></div><div style="position: fixed; inset: 50% 0 0 0"><button>OK</button></div>`, `button "Go" [ref] / button "OK" [ref]`},
		{"a hidden part that gets no pointer events", `<div aria-hidden="true" style="pointer-events: none"><button style="pointer-events: auto">Go</button></div>`, `button "Go" [ref]`},
		{"cells with icons and the same class", `<div role="grid"><div role="row"><div role="gridcell" class="cell"><svg width="9" height="9" role="img"></svg></div><div role="gridcell" class="cell"><svg width="9" height="9" role="img"></svg></div></div></div>`, `row /   gridcell [ref] /   gridcell [ref]`},
		{"a cell with an icon", `<div role="grid"><div role="row"><div role="gridcell" class="done"><svg width="9" height="9" role="img"></svg></div></div></div>`, `row /   gridcell "done" [ref]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			html, err := json.Marshal(tt.html)
			if err != nil {
				t.Fatal(err)
			}
			eval(t, s, "document.body.innerHTML = "+string(html)+`; for (const e of document.querySelectorAll(".on")) e.addEventListener("click", () => 1); 0`)
			text := do(t, s, verbs.Snapshot, verbs.SnapshotIn{Interactive: true}).Snapshot
			text = regexp.MustCompile(`ref=e\d+`).ReplaceAllString(text, "ref")
			got := strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(text, "- "), "\n", " / "), "- ", "")
			if got != tt.want {
				t.Errorf("the snapshot of %s is\n%s\nwant\n%s", tt.html, got, tt.want)
			}
		})
	}
}

// An option of a list, a frame with a title, and an editable body can be used by their refs.
func TestRefsOfOptionsAndFrames(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, `document.body.innerHTML = '<select multiple><option>A</option><option>B</option></select><iframe title="Letter"></iframe>';
		const inside = document.querySelector("iframe").contentDocument; inside.body.contentEditable = true; inside.body.textContent = "Dear"; 0`)
	out := snapshot(t, s)
	do(t, s, verbs.Click, verbs.ClickIn{Element: element(refOf(t, out, "option", "B"))})
	if got := eval(t, s, `document.querySelector("select").value`); got != `"B"` {
		t.Errorf("after a click on B the list has %s", got)
	}
	do(t, s, verbs.Click, verbs.ClickIn{Element: element(refOf(t, out, "Iframe", ""))})
	body := regexp.MustCompile(`textbox[^\n]*ref=(e\d+)`).FindStringSubmatch(out.Snapshot)
	if body == nil {
		t.Fatalf("the body has no ref in\n%s", out.Snapshot)
	}
	do(t, s, verbs.Fill, verbs.FillIn{Element: element(body[1]), Text: "Hello"})
	if got := eval(t, s, `document.querySelector("iframe").contentDocument.body.textContent`); got != `"Hello"` {
		t.Errorf("after fill the body has %s", got)
	}
}
