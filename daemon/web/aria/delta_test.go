package aria

import (
	"strconv"
	"strings"
	"testing"
)

const shownBefore = `- heading "Todos" [level=1, ref=e1]
- list
  - listitem
    - checkbox (Milk) [checked=false, ref=e2]
    - button "Delete" [ref=e3]
    - StaticText "Milk"
  - listitem
    - checkbox (Bread) [checked=false, ref=e4]
    - button "Delete" [ref=e5]
    - StaticText "Bread"
- StaticText "2 left"`

func TestDelta(t *testing.T) {
	for _, tt := range []struct {
		name    string
		replace []string
		want    string
	}{
		{"nothing", nil, "(nothing has changed)"},
		{"a state", []string{"false, ref=e4", "true, ref=e4", "2 left", "1 left"}, `
  - list
    - listitem
~     - checkbox (Bread) [checked=true, ref=e4]
+ - StaticText "1 left"
- StaticText "2 left"`},
		{"a text in an item", []string{`StaticText "Milk"`, `StaticText "Cream"`}, `
  - list
    - listitem
+     - StaticText "Cream"
- StaticText "Milk"`},
		{"an item is gone", []string{`
  - listitem
    - checkbox (Milk) [checked=false, ref=e2]
    - button "Delete" [ref=e3]
    - StaticText "Milk"`, ""}, `
- checkbox (Milk) [checked=false, ref=e2]
- button "Delete" [ref=e3]
- StaticText "Milk"`},
		{"an item is new", []string{`
- StaticText "2`, `
  - listitem
    - checkbox (Tea) [checked=false, ref=e6]
- StaticText "2`}, `
  - list
    - listitem
+     - checkbox (Tea) [checked=false, ref=e6]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			after := strings.NewReplacer(tt.replace...).Replace(shownBefore)
			if got := Delta(shownBefore, after); got != strings.TrimPrefix(tt.want, "\n") {
				t.Errorf("Delta() =\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// Delta names the unchanged elements around a change only by role and ref. It does not list the
// lines that were below a line that is gone.
func TestDeltaIsShort(t *testing.T) {
	const before = `- toolbar "Many words that are known" [expanded=true, ref=e1]
  - button "Cut" [ref=e2]
- row "Ada" [ref=e3]
  - cell "36" [ref=e4]
    - link "Edit" [ref=e5]`
	const after = `- toolbar "Many words that are known" [expanded=true, ref=e1]
  - button "Cut" [disabled, ref=e2]`
	const want = `  - toolbar [ref=e1]
~   - button "Cut" [disabled, ref=e2]
- row "Ada" [ref=e3]`
	if got := Delta(before, after); got != want {
		t.Errorf("Delta() =\n%s\nwant\n%s", got, want)
	}
}

func TestDeltaNamesAFewOfManyThatAreGone(t *testing.T) {
	var before strings.Builder
	for i := range 30 {
		before.WriteString("- button \"B\" [ref=e" + strconv.Itoa(i+1) + "]\n")
	}
	got := Delta(strings.TrimSuffix(before.String(), "\n"), `- button "B" [ref=e1]`)
	if lines := strings.Split(got, "\n"); len(lines) != mostGone+1 || lines[mostGone] != "- and 24 more" {
		t.Errorf("Delta() =\n%s", got)
	}
}
