package aria

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
)

const capture = `- banner [ref=e2]:
  - heading "Hello \"you\" <b>" [level=1] [ref=e3]
  - 'button "a: b" [ref=e4] [cursor=pointer]'
  - 'link "it''s: here" [ref=e5] [cursor=pointer]':
    - /url: "/a?b: c"
    - text: inside
- generic [ref=e6]:
  - textbox "Name" [active] [ref=e7]:
    - /placeholder: Your name
    - text: Ada
  - textbox "Same" [ref=e8]: Same
  - textbox "Colon" [ref=e9]: "a: \"b\" \x07"
  - checkbox "I agree" [checked] [ref=e10]
  - checkbox "Maybe" [checked=mixed] [ref=e11]
  - checkbox [ref=e12]
  - combobox "Colour" [expanded] [ref=e13]:
    - option "Red" [selected]
    - option "Green"
- generic [ref=e14] [cursor=pointer]: Clickable card
- button /raw [x]/ [disabled] [ref=e15]
- iframe [ref=e16]:
  - button "In frame" [ref=f1e2]
- paragraph [ref=e17]: "- not: a list"
- text: "plain: text"
- list [ref=e18]:
  - listitem [ref=e19]:
    - generic [ref=e20]`

func numbered(t *testing.T) *Node {
	t.Helper()
	root, err := Parse(capture)
	if err != nil {
		t.Fatal(err)
	}
	next := 1
	root.Walk(func(n *Node) bool {
		if n.HasRef() {
			n.Ref = next
			next++
		}
		return true
	})
	return root
}

func TestParse(t *testing.T) {
	root := numbered(t)
	tests := []struct{ pwRef, role, name, text string }{
		{"e3", "heading", `Hello "you" <b>`, ""},
		{"e4", "button", "a: b", ""},
		{"e5", "link", "it's: here", ""},
		{"e9", "textbox", "Colon", "a: \"b\" \a"},
		{"e15", "button", "/raw [x]/", ""},
		{"f1e2", "button", "In frame", ""},
		{"e17", "paragraph", "", "- not: a list"},
	}
	for _, tt := range tests {
		n := root.Find(tt.pwRef)
		if n == nil || n.Role != tt.role || n.Name != tt.name || n.Text != tt.text {
			t.Errorf("Find(%s) = %+v, want %+v", tt.pwRef, n, tt)
		}
	}
	if got := root.Find("e5").Props["url"]; got != "/a?b: c" {
		t.Errorf("the link's URL is %q", got)
	}
	if FrameOf("f1e2") != "f1" || FrameOf("e2") != "" || FrameOf("f12e345") != "f12" {
		t.Error("FrameOf is wrong")
	}
	for _, bad := range []string{"x", "  - deep", "- a\n      - b"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("Parse(%q) has no error", bad)
		}
	}
}

func TestPrint(t *testing.T) {
	tests := []struct {
		name string
		in   verbs.SnapshotIn
		want string
	}{
		{"whole", verbs.SnapshotIn{URLs: true}, `- banner
  - heading "Hello \"you\" <b>" [level=1, ref=e1]
  - button "a: b" [ref=e2]
  - link "it's: here" [ref=e3, url=https://x.test/a?b:%20c]
    - StaticText "inside"
- textbox "Name" [ref=e4]: Ada
- textbox "Same" [ref=e5]
- textbox "Colon" [ref=e6]: a: "b"
- checkbox "I agree" [checked=true, ref=e7]
- checkbox "Maybe" [checked=mixed, ref=e8]
- checkbox [checked=false, ref=e9]
- combobox "Colour" [expanded=true, ref=e10]: Red
  - option "Red" [selected]
  - option "Green"
- generic [ref=e11] clickable
  - StaticText "Clickable card"
- button "/raw [x]/" [disabled, ref=e12]
- Iframe [ref=e13]
  - button "In frame" [ref=e14]
- paragraph
  - StaticText "- not: a list"
- StaticText "plain: text"
- list
  - listitem`},
		{"interactive", verbs.SnapshotIn{Interactive: true, Depth: 1}, `- heading "Hello \"you\" <b>" [level=1, ref=e1]
- button "a: b" [ref=e2]
- link "it's: here" [ref=e3]
- textbox "Name" [ref=e4]: Ada
- textbox "Same" [ref=e5]
- textbox "Colon" [ref=e6]: a: "b"
- checkbox "I agree" [checked=true, ref=e7]
- checkbox "Maybe" [checked=mixed, ref=e8]
- checkbox [checked=false, ref=e9]
- combobox "Colour" [expanded=true, ref=e10]: Red
- generic "Clickable card" [ref=e11] clickable
- button "/raw [x]/" [disabled, ref=e12]
- Iframe [ref=e13]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Print(numbered(t), tt.in, "https://x.test/dir/"); got != tt.want {
				t.Errorf("Print() =\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	if got := Print(&Node{}, verbs.SnapshotIn{}, ""); got != "(empty page)" {
		t.Errorf("an empty page prints %q", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(capture)
	f.Add("- 'a")
	f.Add("- a \"\\")
	f.Fuzz(func(_ *testing.T, text string) {
		if root, err := Parse(text); err == nil {
			Print(root, verbs.SnapshotIn{}, "")
		}
	})
}

// parseKey parses random keys in the same way as the regular expressions in this test.
func TestParseKeyAgainstPatterns(t *testing.T) {
	attr := regexp.MustCompile(` \[([a-z]+)(?:=([^\]]*))?\]`)
	slashed := regexp.MustCompile(`^([a-z]+) (/.*/)((?: \[[a-z]+(?:=[^\]]*)?\])*)$`)
	pieces := []string{" ", "/", "/a/", " [ref=e1]", " [x]", " [level=1]", "[", "]", "=", " [A]", " [url=/a/b/]", "a", " []", "é"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		key := "link /"
		for range random.IntN(6) {
			key += pieces[random.IntN(len(pieces))]
		}
		want, rest := "", strings.TrimPrefix(key, "link")
		if m := slashed.FindStringSubmatch(key); m != nil {
			want, rest = m[2], m[3]
		}
		attrs := map[string]string{}
		for _, m := range attr.FindAllStringSubmatch(rest, -1) {
			attrs[m[1]] = m[2]
		}
		if got := parseKey(key); got.Role != "link" || got.Name != want || !maps.Equal(got.Attrs, attrs) {
			t.Fatalf("parseKey(%q) = %q %q %v, want %q %v", key, got.Role, got.Name, got.Attrs, want, attrs)
		}
	}
}
