package daemon

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// hasRef reports whether people would act on the node: interactive roles, content
// with a name, frames, and whatever the pointer shows as clickable.
func (n *node) hasRef() bool {
	if n.pwRef == "" {
		return false
	}
	switch n.role {
	case "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "menuitem", "menuitemcheckbox",
		"menuitemradio", "option", "searchbox", "slider", "spinbutton", "switch", "tab", "treeitem", "iframe":
		return true
	case "heading", "cell", "gridcell", "columnheader", "rowheader", "listitem", "article", "region", "main", "navigation":
		if n.name != "" {
			return true
		}
	}
	return n.attrs["cursor"] == "pointer"
}

// shownRole is the role in the words that agents know from agent-browser.
func (n *node) shownRole() string {
	switch n.role {
	case "text":
		return "StaticText"
	case "iframe":
		return "Iframe"
	case "img":
		return "image"
	}
	return n.role
}

// outline prints a snapshot.
type outline struct {
	in   verbs.SnapshotIn
	base string // URL that the links of the main frame are relative to
	b    strings.Builder
}

func (o *outline) print(root *node) string {
	for _, child := range root.children {
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

// node prints a node and what is below it. Depth is counted as it is shown: what
// has no line of its own makes nothing deeper.
func (o *outline) node(n *node, depth int) {
	if o.in.Depth > 0 && depth >= o.in.Depth {
		return
	}
	if !o.keeps(n) {
		for _, child := range n.children {
			o.node(child, depth)
		}
		return
	}
	value, inside := n.value()
	o.b.WriteString(strings.Repeat("  ", depth))
	o.b.WriteString("- " + n.line(o.link(n), o.in.Interactive))
	if value != "" {
		o.b.WriteString(": " + oneLine(value))
	}
	o.b.WriteByte('\n')
	if inside != "" && !o.in.Interactive && !(o.in.Depth > 0 && depth+1 >= o.in.Depth) {
		o.b.WriteString(strings.Repeat("  ", depth+1) + "- StaticText " + quote(inside) + "\n")
	}
	for _, child := range n.children {
		o.node(child, depth+1)
	}
}

// keeps reports whether a node has a line. What has none passes its children on.
func (o *outline) keeps(n *node) bool {
	switch {
	case o.in.Interactive:
		return n.ref > 0
	case n.role == "generic" && n.ref == 0 && n.name == "" && n.text == "":
		return false
	case o.in.Compact:
		return n.weighs()
	}
	return true
}

// weighs reports whether a node or something below it says something.
func (n *node) weighs() bool {
	if n.ref > 0 || n.text != "" {
		return true
	}
	return !n.walk(func(c *node) bool { return c.ref == 0 && c.text == "" })
}

func (o *outline) link(n *node) string {
	at := n.props["url"]
	if !o.in.URLs || at == "" {
		return ""
	}
	if base, err := url.Parse(o.base); err == nil && frameOf(n.pwRef) == "" {
		if full, err := base.Parse(at); err == nil {
			return strings.ReplaceAll(full.String(), " ", "%20")
		}
	}
	return at
}

// value is what a field holds, or else the only text that an element has inside.
func (n *node) value() (value, inside string) {
	switch {
	case n.role == "text", n.isField() && n.text == n.name:
		return "", ""
	case n.isField():
		return n.text, ""
	case n.role == "combobox":
		for _, child := range n.children {
			if _, selected := child.attrs["selected"]; selected && child.role == "option" {
				return child.name, n.text
			}
		}
		return n.text, ""
	}
	return "", n.text
}

// line is the node without its value.
func (n *node) line(link string, interactive bool) string {
	if n.role == "text" {
		return "StaticText " + quote(n.text)
	}
	var b strings.Builder
	b.WriteString(n.shownRole())
	name := n.name
	if name == "" && interactive && n.role == "generic" {
		name = n.allText()
	}
	if name != "" {
		b.WriteString(" " + quote(name))
	}
	if attrs := n.shownAttrs(link); len(attrs) > 0 {
		b.WriteString(" [" + strings.Join(attrs, ", ") + "]")
	}
	if n.role == "generic" && n.attrs["cursor"] == "pointer" {
		b.WriteString(" clickable [cursor:pointer]")
	}
	return b.String()
}

func (n *node) shownAttrs(link string) []string {
	var all []string
	add := func(name, value string) { all = append(all, name+"="+value) }
	if level := n.attrs["level"]; level != "" {
		add("level", level)
	}
	checked, has := n.attrs["checked"]
	switch {
	case has && checked == "":
		add("checked", "true")
	case has:
		add("checked", checked)
	case slices.Contains([]string{"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"}, n.role):
		add("checked", "false")
	}
	if _, has := n.attrs["expanded"]; has {
		add("expanded", "true")
	} else if n.role == "combobox" {
		add("expanded", "false")
	}
	for _, flag := range []string{"selected", "pressed", "disabled"} {
		if value, has := n.attrs[flag]; has && value != "" {
			add(flag, value)
		} else if has {
			all = append(all, flag)
		}
	}
	if n.ref > 0 {
		add("ref", "e"+strconv.Itoa(n.ref))
	}
	if link != "" {
		add("url", link)
	}
	return all
}

// allText is the text below a node, for elements that have no name.
func (n *node) allText() string {
	parts := []string{}
	if n.text != "" {
		parts = append(parts, n.text)
	}
	n.walk(func(c *node) bool {
		if c.text != "" {
			parts = append(parts, c.text)
		} else if c.name != "" {
			parts = append(parts, c.name)
		}
		return true
	})
	return oneLine(strings.Join(parts, " "))
}

// oneLine is text on one line, without what would steer a terminal.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// quote writes text as a JSON string, with <, > and & as they are.
func quote(text string) string {
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
