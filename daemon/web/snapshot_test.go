package web_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// refOf returns the ref of the only element with a role and a name.
func refOf(t testing.TB, out verbs.SnapshotOut, role, name string) string {
	t.Helper()
	for _, ref := range slices.Sorted(maps.Keys(out.Refs)) {
		if out.Refs[ref] == (verbs.Ref{Role: role, Name: name}) {
			return ref
		}
	}
	t.Fatalf("no ref for %s %q in\n%s", role, name, out.Snapshot)
	return ""
}

func snapshot(t testing.TB, s *daemontest.Session) verbs.SnapshotOut {
	t.Helper()
	return do(t, s, verbs.Snapshot, verbs.SnapshotIn{})
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/"))
	const want = `- heading "Fixture site" [level=1, ref=e1]
- paragraph
  - StaticText "Some bold text."
- navigation "Pages" [ref=e2]
  - link "Page one" [ref=e3]
  - link "Page two" [ref=e4]
  - link "Form" [ref=e5]
- button "Press me" [ref=e6]
- paragraph`
	if got := snapshot(t, s); got.Snapshot != want || got.Origin != web.URL("/") || len(got.Refs) != 6 {
		t.Errorf("snapshot = %+v\nwant\n%s", got, want)
	}
	for _, tt := range []struct {
		name string
		in   verbs.SnapshotIn
		want string
	}{
		{"interactive", verbs.SnapshotIn{Interactive: true}, strings.ReplaceAll(strings.ReplaceAll(want, "\n- paragraph\n  - StaticText \"Some bold text.\"", ""), "\n- paragraph", "")},
		{"compact", verbs.SnapshotIn{Compact: true}, strings.TrimSuffix(want, "\n- paragraph")},
		{"depth", verbs.SnapshotIn{Depth: 1, Interactive: true}, "- heading \"Fixture site\" [level=1, ref=e1]\n- navigation \"Pages\" [ref=e2]\n- button \"Press me\" [ref=e6]"},
		{"part", verbs.SnapshotIn{Selector: "nav"}, "- navigation \"Pages\" [ref=e2]\n  - link \"Page one\" [ref=e3]\n  - link \"Page two\" [ref=e4]\n  - link \"Form\" [ref=e5]"},
		{"part by ref", verbs.SnapshotIn{Selector: "@e6"}, "- button \"Press me\" [ref=e6]"},
		{"urls", verbs.SnapshotIn{Selector: "nav a", URLs: true}, "- link \"Page one\" [ref=e3, url=" + web.URL("/page/one") + "]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := do(t, s, verbs.Snapshot, tt.in)
			if got.Snapshot != tt.want || len(got.Refs) != 6 {
				t.Errorf("snapshot = (%d refs)\n%s\nwant\n%s", len(got.Refs), got.Snapshot, tt.want)
			}
		})
	}
	fails(t, s, verbs.Snapshot, verbs.SnapshotIn{Selector: "#nope"}, wire.CodeNotFound)
	fails(t, s, verbs.Snapshot, verbs.SnapshotIn{Selector: "a["}, wire.CodeBadInput)
}

// A snapshot shows a password as dots. The command get value returns the password, because the
// caller asks for this value explicitly.
func TestSnapshotHidesPasswords(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	empty := do(t, s, verbs.Snapshot, verbs.SnapshotIn{}).Snapshot
	do(t, s, verbs.Fill, verbs.FillIn{Element: element("#password"), Text: "hunter2"})
	for _, in := range []verbs.SnapshotIn{{}, {Interactive: true}, {Selector: "#password"}} {
		filled := do(t, s, verbs.Snapshot, in).Snapshot
		if strings.Contains(filled, "hunter2") || !strings.Contains(filled, "•••") {
			t.Errorf("the snapshot %+v is\n%s", in, filled)
		}
	}
	if strings.Contains(empty, "•") {
		t.Errorf("without a password the snapshot is\n%s", empty)
	}
	if got := value(t, s, "#password"); got != "hunter2" {
		t.Errorf("the field has %q", got)
	}
}

// An element that can be recognized as clickable, for example by its cursor or by an onclick
// attribute, has a ref. This is so even if it is inline text.
func TestSnapshotOfClickableText(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	const count = ` onclick="document.title = 'clicked'"`
	for _, html := range []string{
		`<table><tr><td>Row <a` + count + `>Delete</a></td></tr></table>`,
		`<table><tr><td>Row <span style="cursor: pointer"` + count + `>Delete</span></td></tr></table>`,
		`<table><tr><td>Row <span style="cursor: pointer" id="late">Delete</span></td></tr></table>`,
		`<div` + count + `>Delete</div>`,
		`<details><summary` + count + `>Delete</summary>more</details>`,
		`<ul><li draggable="true"` + count + `>Delete</li></ul>`,
	} {
		raw, err := json.Marshal(html)
		if err != nil {
			t.Fatal(err)
		}
		eval(t, s, "document.title = 'one', document.body.innerHTML = "+string(raw)+", document.querySelector('#late')?.addEventListener('click', () => document.title = 'clicked'), 0")
		for _, in := range []verbs.SnapshotIn{{}, {Interactive: true}} {
			text := do(t, s, verbs.Snapshot, in).Snapshot
			// The ref of the cell around the text does not count.
			refs := regexp.MustCompile(`(?m)^ *- (?:generic|listitem)( "Delete")? \[(?:[^]]*, )?ref=(e\d+)\]`).FindAllStringSubmatch(text, -1)
			if len(refs) != 1 || in.Interactive && refs[0][1] == "" {
				t.Errorf("the snapshot %+v of %s is\n%s", in, html, text)
				continue
			}
			do(t, s, verbs.Click, verbs.ClickIn{Element: element("@" + refs[0][2])})
			if got := eval(t, s, "document.title"); got != `"clicked"` {
				t.Errorf("after the click the title of %s is %s", html, got)
			}
		}
	}
}

// Each element that people can use has a ref, with a name or a text that tells what it is. An
// element that only repeats another one has no ref.
func TestInteractiveSnapshot(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	for _, tt := range []struct{ name, html, want string }{
		{"an element with a listener", `<div class="add">Add</div>`, `generic "Add" [ref] clickable`},
		{"an element in a shadow root with a listener", `<div id="host"></div>`, `generic "In shadow" [ref] clickable`},
		{"an SVG node with a listener", `<svg width="50" height="50"><g class="add" id="node"><rect width="50" height="50"/><text y="20">Node</text></g></svg>`, `generic "Node" [ref] clickable`},
		{"a focusable element", `<div tabindex="0">Canvas</div>`, `generic "Canvas" [ref] focusable`},
		{"a list whose listener serves its items", `<ul class="add"><li><button>One</button></li><li><button>Two</button></li></ul>`, `button "One" [ref] / button "Two" [ref]`},
		{"an editable element", `<div contenteditable data-placeholder="Write"><p>Text</p></div>`, `textbox "Write" [ref]: Text`},
		{"an editable element with a label", `<div contenteditable aria-label="Body"><p>Text</p><p>more</p></div>`, `textbox "Body" [ref]: Text more`},
		{"an editable textbox", `<div contenteditable role="textbox" aria-label="Body">Text</div>`, `textbox "Body" [ref]: Text`},
		{"a control whose label gets the pointer events", `<label style="cursor: pointer"><input type="checkbox" checked style="pointer-events: none"> Subscribe</label>`, `checkbox "Subscribe" [checked=true, ref]`},
		{"a label around a radio", `<label style="cursor: pointer"><input type="radio" name="r"> A</label>`, `radio "A" [checked=false, ref]`},
		{"a tab with a clickable part", `<div role="tab" tabindex="0"><div style="cursor: pointer">General</div></div>`, `tab "General" [ref]`},
		{"a wrapper around its own buttons", `<div style="cursor: pointer" onclick="0"><button>Get</button><button>Put</button></div>`, `button "Get" [ref] / button "Put" [ref]`},
		{"a card with a button", `<div style="cursor: pointer" onclick="0">Card <button>Close</button></div>`, `generic "Card" [ref] clickable /   button "Close" [ref]`},
		{"a select behind a widget", `<select aria-hidden="true" tabindex="-1" style="width: 1px"><option>A</option></select><span role="combobox" tabindex="0" aria-label="Pick">A</span>`, `combobox "Pick" [expanded=false, ref]: A`},
		{"a glyph with a title", `<button title="Deploy">&#xf05b;</button>`, `button "Deploy" [ref]`},
		{"a glyph without a title", `<a href="#"><i class="fa fa-trash">&#xf1f8;</i></a>`, `link "trash" [ref]`},
		{"a glyph and a text", `<button>&#xf05b; Deploy</button>`, `button "Deploy" [ref]`},
		{"an icon of a sprite", `<button><svg width="9" height="9"><use href="#icon-add"></use></svg></button>`, `button "icon-add" [ref]`},
		{"a button with a class", `<button class="destroy x9Y">&#xf05b;</button>`, `button "destroy" [ref]`},
		{"items with checkboxes", `<ul><li><input type="checkbox"><label>Milk</label></li><li><input type="checkbox"><label>Bread</label></li></ul>`, `checkbox (Milk) [checked=false, ref] / checkbox (Bread) [checked=false, ref]`},
		{"a field beside its text", `<p>Age <input> years</p>`, `textbox (Age) [ref]`},
		{"rows with cells that have refs", `<table><tr><td>Ada</td><td>36</td></tr></table>`, `row /   cell "Ada" [ref] /   cell "36" [ref]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			html, err := json.Marshal(tt.html)
			if err != nil {
				t.Fatal(err)
			}
			eval(t, s, "document.body.innerHTML = "+string(html)+`;
				document.querySelector(".add")?.addEventListener("click", () => 1);
				const host = document.querySelector("#host")?.attachShadow({mode: "open"});
				if (host) host.innerHTML = "<div>In shadow</div>", host.firstChild.addEventListener("pointerdown", () => 1);
				0`)
			text := do(t, s, verbs.Snapshot, verbs.SnapshotIn{Interactive: true}).Snapshot
			text = regexp.MustCompile(`ref=e\d+`).ReplaceAllString(text, "ref")
			got := strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(text, "- "), "\n", " / "), "- ", "")
			if got != tt.want {
				t.Errorf("the snapshot of %s is\n%s\nwant\n%s", tt.html, got, tt.want)
			}
		})
	}
}

// A snapshot with --delta shows only what has changed since the last one with the same options.
func TestSnapshotDelta(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	delta := func(in verbs.SnapshotIn) (verbs.SnapshotOut, []string) {
		t.Helper()
		in.Delta = true
		out, warnings, err := ask(t, s, verbs.Snapshot, in)
		if err != nil {
			t.Fatal(err)
		}
		return out, warnings
	}
	first, warnings := delta(verbs.SnapshotIn{})
	if first.Delta || len(warnings) != 1 || len(first.Refs) < 5 {
		t.Errorf("the first snapshot is %+v, with the warnings %q", first, warnings)
	}
	if same, warnings := delta(verbs.SnapshotIn{}); !same.Delta || same.Snapshot != "(nothing has changed)" || len(same.Refs) != 0 || len(warnings) != 0 {
		t.Errorf("without a change the delta is %+v, with the warnings %q", same, warnings)
	}
	do(t, s, verbs.Check, verbs.ElementIn{Element: element("#agree")})
	changed, _ := delta(verbs.SnapshotIn{})
	if !changed.Delta || !strings.Contains(changed.Snapshot, "[checked=true, ref=") || len(changed.Refs) != 1 || len(changed.Snapshot) > len(first.Snapshot)/3 {
		t.Errorf("after a check the delta is %+v", changed)
	}
	eval(t, s, "document.body.innerHTML = '<button>Another button</button>'.repeat(20), 0")
	if replaced, warnings := delta(verbs.SnapshotIn{}); replaced.Delta || len(warnings) != 1 || len(replaced.Refs) != 20 || strings.Contains(replaced.Snapshot, "+") {
		t.Errorf("after all was replaced the delta is %+v, with the warnings %q", replaced, warnings)
	}
	if other, warnings := delta(verbs.SnapshotIn{Interactive: true}); other.Delta || len(warnings) != 1 {
		t.Errorf("with other options the delta is %+v, with the warnings %q", other, warnings)
	}
	do(t, s, verbs.Reload, verbs.StepIn{})
	if reloaded, warnings := delta(verbs.SnapshotIn{Interactive: true}); reloaded.Delta || len(warnings) != 1 || len(reloaded.Refs) < 5 {
		t.Errorf("after a reload the delta is %+v, with the warnings %q", reloaded, warnings)
	}
}

// A snapshot shows the states of controls. It also shows disabled controls that get no pointer
// events.
func TestSnapshotOfStates(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	for _, tt := range []struct{ html, want string }{
		{`<button aria-expanded="false">Menu</button>`, `button "Menu" [expanded=false, ref]`},
		{`<button aria-expanded="true">Menu</button>`, `button "Menu" [expanded=true, ref]`},
		{`<button>Plain</button>`, `button "Plain" [ref]`},
		{`<div role="menuitem" aria-expanded="false" tabindex="0">File</div>`, `menuitem "File" [expanded=false, ref]`},
		{`<input required aria-label="Mail">`, `textbox "Mail" [required, ref]`},
		{`<input required aria-label="Mail" value="me">`, `textbox "Mail" [required, ref]: me`},
		{`<input aria-label="Mail" aria-invalid="true" value="me">`, `textbox "Mail" [invalid, ref]: me`},
		{`<input aria-label="Mail" aria-invalid="false" value="me">`, `textbox "Mail" [ref]: me`},
		{`<div role="slider" aria-label="Size" aria-valuenow="3" tabindex="0" style="height: 9px"></div>`, `slider "Size" [ref]: 3`},
		{`<div role="slider" aria-label="Stars" aria-valuenow="3" aria-valuetext="3 of 5" tabindex="0"><i>x</i></div>`, `slider "Stars" [ref]: 3 of 5`},
		{`<input type="range" aria-label="Size" min="0" max="9" value="4">`, `slider "Size" [ref]: 4`},
		{`<progress aria-label="Done" max="10" value="7"></progress>`, `progressbar "Done": 7`},
		{`<input type="file" aria-label="Picture">`, `button "Picture" [ref]: No file chosen`},
		{`<button disabled style="pointer-events: none">Next</button>`, `button "Next" [disabled, ref]`},
		{`<a role="button" aria-disabled="true" style="pointer-events: none" href="#">Next</a>`, `button "Next" [disabled, ref]`},
	} {
		html, err := json.Marshal(tt.html)
		if err != nil {
			t.Fatal(err)
		}
		eval(t, s, "document.body.innerHTML = "+string(html)+", 0")
		got := regexp.MustCompile(`ref=e\d+`).ReplaceAllString(snapshot(t, s).Snapshot, "ref")
		if line, _, _ := strings.Cut(got, "\n"); line != "- "+tt.want {
			t.Errorf("the snapshot of %s is\n%s\nwant %s", tt.html, got, tt.want)
		}
		if strings.Contains(tt.want, "ref") && !strings.Contains(do(t, s, verbs.Snapshot, verbs.SnapshotIn{Interactive: true}).Snapshot, "ref=") {
			t.Errorf("the interactive snapshot of %s has no ref", tt.html)
		}
	}
}

func TestSnapshotOfFrames(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/frames"))
	out := snapshot(t, s)
	for _, name := range []string{"same", "cross", "deep"} {
		do(t, s, verbs.Click, verbs.ClickIn{Element: element(refOf(t, out, "button", "Button "+name))})
		do(t, s, verbs.Fill, verbs.FillIn{Element: element(refOf(t, out, "textbox", "Field "+name)), Text: "in " + name})
	}
	after := snapshot(t, s).Snapshot
	for _, name := range []string{"same", "cross", "deep"} {
		if !strings.Contains(after, "clicked "+name) || !strings.Contains(after, ": in "+name) {
			t.Errorf("the frame %s was not acted on:\n%s", name, after)
		}
	}
}
