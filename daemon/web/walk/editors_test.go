package walk_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e/apps"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// Commands can fill the editors of real apps, and type into them, by their refs. A fill replaces
// the editor's text.
func TestEditors(t *testing.T) {
	all := apps.Start(t)
	for _, tt := range []struct {
		name, app string
		prepare   string // an expression
		editor    string // the name of the editor's ref
		text      string // an expression whose value is the editor's text
	}{
		{"Quill", "quill", "0", "", "editor.getText().trim()"},
		{"TinyMCE", "tinymce", "0", "Rich Text Area. Press ALT-0 for help.", "tinymce.activeEditor.getContent({format: 'text'}).trim()"},
		{"Monaco", "monaco", "0", "Editor content", "editor.getValue()"},
		{
			"Monaco with a text area", "monaco", "editor.dispose(), window.editor = monaco.editor.create(document.querySelector('#editor'), {value: 'first\\nsecond', editContext: false}), 0",
			"Editor content", "editor.getValue()",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			at := slices.IndexFunc(all, func(a apps.App) bool { return a.Name == tt.app })
			p := &page{t: t, session: home.Start(t), app: all[at]}
			p.load()
			p.eval(tt.prepare)
			out := do(t, p.session, verbs.Snapshot, verbs.SnapshotIn{})
			ref := ""
			for _, name := range slices.Sorted(maps.Keys(out.Refs)) {
				if out.Refs[name] == (verbs.Ref{Role: "textbox", Name: tt.editor}) {
					ref = name
				}
			}
			if ref == "" {
				t.Fatalf("the editor has no ref in\n%s", out.Snapshot)
			}
			editor := verbs.Element{Selector: ref}
			for _, want := range []string{"New text", "Another", ""} {
				do(t, p.session, verbs.Fill, verbs.FillIn{Element: editor, Text: want})
				if got := p.eval(tt.text); got != `"`+want+`"` {
					t.Errorf("after fill %q the text is %s", want, got)
				}
			}
			do(t, p.session, verbs.Click, verbs.ClickIn{Element: verbs.Element{Selector: "h1"}}) // takes the focus
			do(t, p.session, verbs.Click, verbs.ClickIn{Element: editor})
			do(t, p.session, verbs.Press, verbs.PressIn{Key: "z"})
			if got := p.eval(tt.text); got != `"z"` {
				t.Errorf("after a click and the key z the text is %s", got)
			}
			do(t, p.session, verbs.Fill, verbs.FillIn{Element: editor, Text: ""})
			do(t, p.session, verbs.Type, verbs.TypeIn{Element: editor, Text: "ab"})
			do(t, p.session, verbs.Type, verbs.TypeIn{Element: editor, Text: "cd"})
			if got := p.eval(tt.text); len(got) != 6 { // editors differ in where the caret is between the two
				t.Errorf("after typing ab and cd the text is %s", got)
			}
		})
	}
}
