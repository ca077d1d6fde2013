package aria

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// HasRef reports whether the node gets a ref, by which commands can name it. A node gets one only
// if it has a PlaywrightRef and is one of these:
//
//   - a frame or an interactive element
//   - a content element that has a name, such as a heading
//   - an element whose cursor shows that it can be clicked
func (n *Node) HasRef() bool {
	if n.PlaywrightRef == "" {
		return false
	}
	switch n.Role {
	case "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "menuitem", "menuitemcheckbox",
		"menuitemradio", "option", "searchbox", "slider", "spinbutton", "switch", "tab", "treeitem", "iframe":
		return true
	case "heading", "cell", "gridcell", "columnheader", "rowheader", "listitem", "article", "region", "main", "navigation":
		if n.Name != "" {
			return true
		}
	}
	return n.Attrs["cursor"] == "pointer"
}

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
	}
	return n.Role
}

// Print returns the text of a snapshot of the nodes below root. The parameter in selects what the
// text contains. URLs in the main frame are resolved against the URL base.
func Print(root *Node, in verbs.SnapshotIn, base string) string {
	o := printer{in: in, base: base}
	return o.print(root)
}

type printer struct {
	in   verbs.SnapshotIn
	base string // URL that the links of the main frame are relative to
	b    strings.Builder
}

func (o *printer) print(root *Node) string {
	for _, child := range root.Children {
		o.node(child, 0)
	}
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
		for _, child := range n.Children {
			o.node(child, depth)
		}
		return
	}
	value, inside := n.value()
	o.b.WriteString(strings.Repeat("  ", depth))
	o.b.WriteString("- " + n.line(o.link(n), o.in.Interactive))
	if value != "" {
		o.b.WriteString(": " + OneLine(value))
	}
	o.b.WriteByte('\n')
	if inside != "" && !o.in.Interactive && !(o.in.Depth > 0 && depth+1 >= o.in.Depth) {
		o.b.WriteString(strings.Repeat("  ", depth+1) + "- StaticText " + Quote(inside) + "\n")
	}
	for _, child := range n.Children {
		o.node(child, depth+1)
	}
}

// hasLine reports whether a node is printed. If it is not, its children take its place.
func (o *printer) hasLine(n *Node) bool {
	switch {
	case o.in.Interactive:
		return n.Ref > 0
	case n.Role == "generic" && n.Ref == 0 && n.Name == "" && n.Text == "":
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
	switch {
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
func (n *Node) line(link string, interactive bool) string {
	if n.Role == "text" {
		return "StaticText " + Quote(n.Text)
	}
	var b strings.Builder
	b.WriteString(n.ShownRole())
	name := n.Name
	if name == "" && interactive && n.Role == "generic" {
		name = n.textBelow()
	}
	if name != "" {
		b.WriteString(" " + Quote(name))
	}
	if attrs := n.shownAttrs(link); len(attrs) > 0 {
		b.WriteString(" [" + strings.Join(attrs, ", ") + "]")
	}
	if n.Role == "generic" && n.Attrs["cursor"] == "pointer" {
		b.WriteString(" clickable [cursor:pointer]")
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
	} else if n.Role == "combobox" {
		add("expanded", "false")
	}
	for _, flag := range []string{"selected", "pressed", "disabled"} {
		if value, has := n.Attrs[flag]; has && value != "" {
			add(flag, value)
		} else if has {
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

// textBelow returns the text of the node and of all nodes below it. A snapshot of the interactive
// elements prints it as the name of a generic element that has no name.
func (n *Node) textBelow() string {
	parts := []string{}
	if n.Text != "" {
		parts = append(parts, n.Text)
	}
	n.Walk(func(c *Node) bool {
		if c.Text != "" {
			parts = append(parts, c.Text)
		} else if c.Name != "" {
			parts = append(parts, c.Name)
		}
		return true
	})
	return OneLine(strings.Join(parts, " "))
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
