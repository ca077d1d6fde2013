package aria

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
)

const (
	nearSize = 60 // the most bytes of a text that is printed in place of a name
	nearUp   = 4  // the number of ancestors that are searched for a text near an element
)

// shownName returns the text that is printed as the node's name. It is the first of these that is
// not empty:
//
//  1. The name of the node. The name of a row is left out, as far as the lines of its cells repeat
//     it.
//  2. In a snapshot of the interactive elements: the text inside an element that can be clicked,
//     without the text of inner elements that have refs. If there are several such inner elements,
//     the text is cut to nearSize.
//  3. The label of an element with a ref: see labelOf in snapshot.js of launcher/driver.
//  4. The word that labelOf returns, such as the name of a class. A field does not get this name if
//     there is a text near the field. A cell does not get it if another cell of the row has the
//     same word.
func (o *printer) shownName(n *Node) string {
	name := readable(n.Name)
	switch {
	case name != "" && n.Role == "row" && o.in.Interactive && n.hasRefBelow():
		return n.textBelow(func(c *Node) bool { return c.Ref == 0 }) // its cells are printed below it
	case name != "" && n.Role == "row" && !o.in.Interactive && name == n.textBelow(all):
		return ""
	case name != "":
		return name
	case o.in.Interactive && !n.isSet("editable") && (n.Role == "generic" || n.isOneControl() && !n.isField() || n.isSet("clickable") || n.isSet("listens")):
		name = n.textBelow(func(c *Node) bool { return c.Ref == 0 })
		if len(n.outermostRefs()) > 1 {
			name = cut(name, nearSize)
		}
	}
	if name == "" && n.Ref > 0 {
		name = OneLine(n.Props["label"])
	}
	if name == "" && !(n.isField() && o.near(n) != "") && !o.isOneOfMany(n) {
		name = n.Props["word"]
	}
	return name
}

// isOneOfMany reports whether the node is a cell of a row that has another cell with the same word.
// The word then does not tell the cells apart.
func (o *printer) isOneOfMany(n *Node) bool {
	if n.Role != "cell" && n.Role != "gridcell" || len(o.parents) == 0 {
		return false
	}
	same := 0
	for _, c := range o.parents[len(o.parents)-1].Children {
		if c.Role == n.Role && c.Props["word"] == n.Props["word"] {
			same++
		}
	}
	return same > 1
}

// near returns a text beside a control that has no name, such as the text of the list item that
// contains the control. The text tells the control apart from others of its kind. It stands
// between this control and the next or the previous control.
//
// near returns an empty string except in a snapshot of the interactive elements, because a
// snapshot of all elements shows the text anyway.
func (o *printer) near(n *Node) string {
	if !o.in.Interactive || !n.isControl() || n.Role == "iframe" {
		return ""
	}
	textComesAfter := n.Role == "checkbox" || n.Role == "radio" || n.Role == "switch"
	for i, parent := range slices.Backward(o.parents) {
		if len(o.parents)-i > nearUp {
			break
		}
		at := o.indexes[i]
		before := parent.unlessLabel(nextText(slices.Backward(parent.Children[:at])))
		after := parent.unlessLabel(nextText(slices.All(parent.Children[at+1:])))
		if textComesAfter {
			before, after = after, before
		}
		if text := cmp.Or(before, after); text != "" {
			return cut(text, nearSize)
		}
	}
	return ""
}

// unlessLabel returns the text, or an empty string if a field below n has the text as its name.
func (n *Node) unlessLabel(text string) string {
	if text == "" || n.Walk(func(c *Node) bool { return !c.isField() || readable(c.Name) != text }) {
		return text
	}
	return ""
}

// nextText returns the text of the first node that has a text. It stops at a node that has a ref or
// contains one, and at the label of a control. Other lines show the texts of these nodes, so
// nextText then returns an empty string.
func nextText(nodes iter.Seq2[int, *Node]) string {
	for _, n := range nodes {
		if n.usable || n.isSet("labels") || !n.Walk(func(c *Node) bool { return !c.usable }) {
			return ""
		}
		if text := cmp.Or(readable(n.Name), n.textBelow(all)); text != "" {
			return text
		}
	}
	return ""
}

// textBelow returns the text of the node and of the nodes below it. It leaves out each node for
// which includes returns false, and all nodes below that one.
func (n *Node) textBelow(includes func(*Node) bool) string {
	return readable(strings.Join(n.textsBelow(includes), " "))
}

// textsBelow returns the pieces of textBelow. A piece that is the same as the one before it is left
// out.
func (n *Node) textsBelow(includes func(*Node) bool) []string {
	var parts []string
	add := func(text string) {
		if text != "" && (len(parts) == 0 || parts[len(parts)-1] != text) {
			parts = append(parts, text)
		}
	}
	var visit func(*Node)
	visit = func(parent *Node) {
		for _, c := range parent.Children {
			switch {
			case !includes(c):
			case c.holdsInput():
				add(c.Name)
			case c.Text != "":
				add(c.Text)
				visit(c)
			case c.Name != "" && c.Role != "row" && c.Walk(includes):
				add(c.Name)
			default:
				visit(c)
			}
		}
	}
	add(n.Text)
	visit(n)
	return parts
}

// hasRefBelow reports whether a node below n has a ref.
func (n *Node) hasRefBelow() bool { return !n.Walk(func(c *Node) bool { return c.Ref == 0 }) }

// readable returns text on one line, without the glyphs of icon fonts. Their characters are in
// Unicode's private-use areas.
func readable(text string) string {
	return OneLine(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Co, r) {
			return ' '
		}
		return r
	}, text))
}

// cut returns the start of text, at most size bytes and whole words if possible.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	text = strings.ToValidUTF8(text[:size], "")
	if at := strings.LastIndexByte(text, ' '); at > size/2 {
		text = text[:at]
	}
	return text + "…"
}
