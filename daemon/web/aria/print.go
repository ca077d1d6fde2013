package aria

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// ShownRole returns the role as the program agent-browser writes it. Agents are used to its
// snapshots.
func (n *Node) ShownRole() string {
	switch n.Role {
	case "text":
		return "StaticText"
	case "iframe":
		return "Iframe"
	case "img":
		return "image"
	case "generic":
		if n.isSet("editable") {
			return "textbox"
		}
	}
	return n.Role
}

// Print returns the text of a snapshot of the nodes below root. The input of the verb snapshot
// selects what the text contains. Relative URLs in the main frame are resolved against base.
func Print(root *Node, in verbs.SnapshotIn, base string) string {
	o := printer{in: in, base: base}
	return o.print(root)
}

// editorSize is how many bytes of the text of an editable element are printed in a snapshot of the
// interactive elements. Such a snapshot does not print the nodes inside the element.
const editorSize = 200

type printer struct {
	in      verbs.SnapshotIn
	base    string  // URL that the links of the main frame are relative to
	parents []*Node // the ancestors of the current node, the outermost first
	indexes []int   // for each of the parents, the index of the child that is, or contains, the current node
	images  int     // how many plain images the current line stands for
	b       strings.Builder
}

func (o *printer) print(root *Node) string {
	o.children(root, 0)
	text := strings.TrimSuffix(o.b.String(), "\n")
	switch {
	case text != "":
		return text
	case o.in.Interactive:
		return "(no interactive elements)"
	default:
		return "(empty page)"
	}
}

// node prints a node and the nodes below it. depth is the number of the node's ancestors that are
// printed. A node that is not printed passes its own depth to its children.
func (o *printer) node(n *Node, depth int) {
	if o.in.Depth > 0 && depth >= o.in.Depth {
		return
	}
	if !o.hasLine(n) {
		o.children(n, depth)
		return
	}
	value, inside := n.value()
	if o.in.Interactive && n.isSet("editable") {
		value = cut(n.textBelow(all), editorSize)
	}
	o.b.WriteString(strings.Repeat("  ", depth))
	o.b.WriteString("- " + o.line(n))
	if o.images > 1 {
		o.b.WriteString(" (" + strconv.Itoa(o.images) + " times)")
	}
	if value != "" {
		o.b.WriteString(": " + OneLine(value))
	}
	o.b.WriteByte('\n')
	if inside != "" && !o.in.Interactive && !n.isBareText() && OneLine(inside) != o.shownName(n) && !(o.in.Depth > 0 && depth+1 >= o.in.Depth) {
		o.b.WriteString(strings.Repeat("  ", depth+1) + "- StaticText " + Quote(inside) + "\n")
	}
	o.children(n, depth+1)
}

// children prints the nodes below n. Their depth is the given one. Plain images that follow each
// other, such as the stars of a rating, share a line.
func (o *printer) children(n *Node, depth int) {
	o.parents, o.indexes = append(o.parents, n), append(o.indexes, 0)
	last := len(o.parents) - 1
	for i, child := range n.Children {
		o.indexes[last] = i
		if child.isPlainImage() {
			if o.images++; i+1 < len(n.Children) && n.Children[i+1].isPlainImage() {
				continue
			}
		}
		o.node(child, depth)
		o.images = 0
	}
	o.parents, o.indexes = o.parents[:last], o.indexes[:last]
}

// isPlainImage reports whether the node is an image without a name, a text or a ref.
func (n *Node) isPlainImage() bool {
	return n.Role == "img" && n.Ref == 0 && n.Name == "" && n.Text == "" && n.Props["word"] == "" && len(n.Children) == 0
}

// hasLine reports whether a node is printed. If it is not, its children take its place.
func (o *printer) hasLine(n *Node) bool {
	switch {
	case o.repeats(n):
		return false
	case o.in.Interactive:
		return n.Ref > 0 || n.Role == "row" && n.hasRefBelow()
	case (n.Role == "generic" || n.Role == "alert" && len(n.Children) == 0) && n.Ref == 0 && n.Name == "" && n.Text == "":
		return false
	case o.in.Compact:
		return n.hasContent()
	}
	return true
}

// hasContent reports whether the node or a node below it has a ref or text.
func (n *Node) hasContent() bool {
	if n.Ref > 0 || n.Text != "" {
		return true
	}
	return !n.Walk(func(c *Node) bool { return c.Ref == 0 && c.Text == "" })
}

func (o *printer) link(n *Node) string {
	at := n.Props["url"]
	if !o.in.URLs || at == "" {
		return ""
	}
	if base, err := url.Parse(o.base); err == nil && FrameOf(n.PlaywrightRef) == "" {
		if full, err := base.Parse(at); err == nil {
			return strings.ReplaceAll(full.String(), " ", "%20")
		}
	}
	return at
}

// value returns the text of a node in two parts. The part value is the value of an input field,
// and is printed on the field's line. The part inside is the text that is the only content of
// another element, and is printed on a line below the element. A combobox can have both parts.
func (n *Node) value() (value, inside string) {
	switch set := n.Props["value"]; {
	case set != "" && n.holdsInput():
		return set, ""
	case set != "":
		return set, n.Text
	case n.Role == "text", n.holdsInput() && n.Text == n.Name:
		return "", ""
	case n.holdsInput():
		return n.Text, ""
	case n.Role == "combobox":
		for _, child := range n.Children {
			if _, selected := child.Attrs["selected"]; selected && child.Role == "option" {
				return child.Name, n.Text
			}
		}
		return n.Text, ""
	}
	return "", n.Text
}

// line returns the line of the node without its value.
func (o *printer) line(n *Node) string {
	if n.isBareText() {
		return "StaticText " + Quote(n.Text)
	}
	var b strings.Builder
	b.WriteString(n.ShownRole())
	if name := o.shownName(n); name != "" {
		b.WriteString(" " + Quote(name))
	} else if near := o.near(n); near != "" {
		b.WriteString(" (" + near + ")")
	} else if word := n.Props["word"]; word != "" && !o.isOneOfMany(n) {
		b.WriteString(" " + Quote(word))
	}
	if attrs := n.shownAttrs(o.link(n)); len(attrs) > 0 {
		b.WriteString(" [" + strings.Join(attrs, ", ") + "]")
	}
	switch {
	case n.Role != "generic" || n.Ref == 0 || n.isSet("editable"):
	case n.Attrs["cursor"] == "pointer" || n.isSet("clickable") || n.isSet("listens"):
		b.WriteString(" clickable")
	case n.isSet("focusable"):
		b.WriteString(" focusable")
	}
	return b.String()
}

func (n *Node) shownAttrs(link string) []string {
	var all []string
	add := func(name, value string) { all = append(all, name+"="+value) }
	if level := n.Attrs["level"]; level != "" {
		add("level", level)
	}
	checked, has := n.Attrs["checked"]
	switch {
	case has && checked == "":
		add("checked", "true")
	case has:
		add("checked", checked)
	case slices.Contains([]string{"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"}, n.Role):
		add("checked", "false")
	}
	if _, has := n.Attrs["expanded"]; has {
		add("expanded", "true")
	} else if n.Role == "combobox" || n.Props["expanded"] == "false" {
		add("expanded", "false")
	}
	for _, flag := range []string{"selected", "pressed", "disabled"} {
		if value, has := n.Attrs[flag]; has && value != "" {
			add(flag, value)
		} else if has {
			all = append(all, flag)
		} else if n.isSet(flag) {
			all = append(all, flag)
		}
	}
	for _, flag := range []string{"required", "invalid", "unresponsive"} {
		if n.isSet(flag) {
			all = append(all, flag)
		}
	}
	if n.Ref > 0 {
		add("ref", "e"+strconv.Itoa(n.Ref))
	}
	if link != "" {
		add("url", link)
	}
	return all
}

// OneLine returns text on one line. Characters that could control a terminal become spaces.
func OneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// Quote returns text as a JSON string. Unlike json.Marshal, it does not escape <, > and &.
func Quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsControl(r):
			b.WriteString(`\u` + strconv.FormatInt(0x10000+int64(r), 16)[1:])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
