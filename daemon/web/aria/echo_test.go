package aria

import (
	"strconv"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// No line of a snapshot shows what another line shows. In the captures, the refs have the numbers
// that they have in the snapshots.
func TestPrintShowsNothingTwice(t *testing.T) {
	for _, tt := range []struct{ name, capture, whole, interactive string }{
		{
			"a text in an element without a meaning", `
- generic [ref=e1]:
  - generic [ref=e2]: Hello
- button "Go" [ref=e3]:
  - generic [ref=e4]: Go`, `
- StaticText "Hello"
- button "Go" [ref=e3]`, `
- button "Go" [ref=e3]`,
		}, {
			"a text in the name of a button", `
- button "Find /pet in 44" [ref=e1]:
  - generic [ref=e2]: Find
  - generic [ref=e3]: "4"
  - link "/pet" [ref=e4]
- cell "Ada Lovelace" [ref=e5]:
  - text: Ada
  - strong [ref=e6]: Lovelace`, `
- button "Find /pet in 44" [ref=e1]
  - StaticText "4"
  - link "/pet" [ref=e4]
- cell "Ada Lovelace" [ref=e5]
  - StaticText "Ada"
  - strong
    - StaticText "Lovelace"`, `
- button "Find /pet in 44" [ref=e1]
  - link "/pet" [ref=e4]
- cell "Ada Lovelace" [ref=e5]`,
		}, {
			"the text of a label", `
- generic [ref=e1]:
  - generic [ref=e2]: Name
  - textbox "Name" [ref=e3]
- generic [ref=e4]:
  - checkbox "Milk" [ref=e5]
  - text: Milk
- generic [ref=e6]:
  - button "Undo" [ref=e7]
  - text: Undo`, `
- textbox "Name" [ref=e3]
- checkbox "Milk" [checked=false, ref=e5]
- button "Undo" [ref=e7]
- StaticText "Undo"`, `
- textbox "Name" [ref=e3]
- checkbox "Milk" [checked=false, ref=e5]
- button "Undo" [ref=e7]`,
		}, {
			"images without names, and a place for messages that is empty", `
- gridcell "2" [ref=e1]:
  - img [ref=e2]
  - img [ref=e3]
  - img [ref=e4]
- paragraph [ref=e5]:
  - img [ref=e6]
- alert [ref=e7]
- alert [ref=e8]: Saved`, `
- gridcell "2" [ref=e1]
  - image (3 times)
- paragraph
  - image
- alert
  - StaticText "Saved"`, `
- gridcell "2" [ref=e1]`,
		}, {
			"a label that can be clicked", `
- checkbox "Milk" [ref=e1]
- generic [ref=e2] [cursor=pointer]:
  - /labels: "true"
  - text: Milk
- checkbox "Salt" [ref=e4]
- generic [ref=e5] [cursor=pointer]: Salt`, `
- checkbox "Milk" [checked=false, ref=e1]
- checkbox "Salt" [checked=false, ref=e4]
- generic [ref=e5] clickable
  - StaticText "Salt"`, `
- checkbox "Milk" [checked=false, ref=e1]
- checkbox "Salt" [checked=false, ref=e4]
- generic "Salt" [ref=e5] clickable`,
		}, {
			"a cell around a link", `
- row "1 2" [ref=e1]:
  - cell "1" [ref=e2]:
    - link "1" [ref=e3]
  - cell "2 new" [ref=e4]:
    - link "2" [ref=e5]
    - text: new`, `
- row "1 2"
  - cell "1"
    - link "1" [ref=e3]
  - cell "2 new" [ref=e4]
    - link "2" [ref=e5]
    - StaticText "new"`, `
- row
  - link "1" [ref=e3]
  - cell "2 new" [ref=e4]
    - link "2" [ref=e5]`,
		}, {
			"a row with the text of its cells", `
- row "Ada 36" [ref=e1]:
  - cell "Ada" [ref=e2]
  - cell "36" [ref=e3]
- row "Person" [ref=e4]:
  - cell "Bob" [ref=e5]`, `
- row
  - cell "Ada" [ref=e2]
  - cell "36" [ref=e3]
- row "Person"
  - cell "Bob" [ref=e5]`, `
- row
  - cell "Ada" [ref=e2]
  - cell "36" [ref=e3]
- row
  - cell "Bob" [ref=e5]`,
		}, {
			"a titled element around a radio", `
- generic "By hand" [ref=e1]:
  - radio "By hand" [ref=e2]
- generic "By car" [ref=e3]:
  - radio "Car" [ref=e4]`, `
- radio "By hand" [checked=false, ref=e2]
- generic "By car"
  - radio "Car" [checked=false, ref=e4]`, `
- radio "By hand" [checked=false, ref=e2]
- radio "Car" [checked=false, ref=e4]`,
		}, {
			"a long text around two buttons", `
- generic [ref=e1] [cursor=pointer]:
  - text: This is a text that many words make long
  - button "One" [ref=e2]
  - button "Two" [ref=e3]
  - text: and which goes on after them`, `
- generic [ref=e1] clickable
  - StaticText "This is a text that many words make long"
  - button "One" [ref=e2]
  - button "Two" [ref=e3]
  - StaticText "and which goes on after them"`, `
- generic "This is a text that many words make long and which goes on…" [ref=e1] clickable
  - button "One" [ref=e2]
  - button "Two" [ref=e3]`,
		}, {
			"an icon", `
- button "Zoom in" [ref=e1]:
  - img [ref=e2]
- img [ref=e3]
- button "Menu" [ref=e4]:
  - img "New" [ref=e5]`, `
- button "Zoom in" [ref=e1]
- image
- button "Menu" [ref=e4]
  - image "New"`, `
- button "Zoom in" [ref=e1]
- button "Menu" [ref=e4]`,
		}, {
			"a tree item", `
- treeitem "Bread" [ref=e1]:
  - generic [ref=e2] [cursor=pointer]: Bread
- treeitem "Fruit" [ref=e3]:
  - generic [ref=e4] [cursor=pointer]: Fruit
  - treeitem "Pear" [ref=e5]`, `
- treeitem "Bread" [ref=e1]
  - generic [ref=e2] clickable
    - StaticText "Bread"
- treeitem "Fruit" [ref=e3]
  - generic [ref=e4] clickable
    - StaticText "Fruit"
  - treeitem "Pear" [ref=e5]`, `
- treeitem "Bread" [ref=e1]
- treeitem "Fruit" [ref=e3]
  - generic "Fruit" [ref=e4] clickable
  - treeitem "Pear" [ref=e5]`,
		}, {
			"a field that is named by its class", `
- listitem [ref=e1]:
  - checkbox [ref=e2]:
    - /word: toggle
  - generic [ref=e3]: Buy milk
- paragraph [ref=e6]: Buy tea
- button [ref=e4]:
  - /word: trash
- textbox [ref=e5]:
  - /label: Your name
- text: Ada`, `
- listitem
  - checkbox "toggle" [checked=false, ref=e2]
  - StaticText "Buy milk"
- paragraph
  - StaticText "Buy tea"
- button "trash" [ref=e4]
- textbox "Your name" [ref=e5]
- StaticText "Ada"`, `
- checkbox (Buy milk) [checked=false, ref=e2]
- button "trash" [ref=e4]
- textbox "Your name" [ref=e5]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, err := Parse(tt.capture)
			if err != nil {
				t.Fatal(err)
			}
			root.Walk(func(n *Node) bool {
				if n.HasRef() {
					if n.Ref, err = strconv.Atoi(strings.TrimPrefix(n.PlaywrightRef, "e")); err != nil {
						t.Fatal(err)
					}
				}
				return true
			})
			if got := "\n" + Print(root, verbs.SnapshotIn{}, ""); got != tt.whole {
				t.Errorf("Print() =%s\nwant%s", got, tt.whole)
			}
			if got := "\n" + Print(root, verbs.SnapshotIn{Interactive: true}, ""); got != tt.interactive {
				t.Errorf("Print() of the interactive elements =%s\nwant%s", got, tt.interactive)
			}
		})
	}
}
