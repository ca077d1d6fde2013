package aria

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
)

const (
	nearSize = 60 // bytes of a text near an element, or around several, that is printed in place of a name
	nearUp   = 4  // ancestors among which such a text is looked for
)

// shownName returns the text that is printed as the node's name. That is its name. In a snapshot of
// the interactive elements, an element that can be clicked and has no name, for example because it
// is hidden from assistive technology, is named by the text in it, without the text of elements in
// it that have refs of their own. It is cut if it is the text around several of them. If there is
// neither, the label of an element with a ref is its name, see labelOf in snapshot.js of
// launcher/driver. If the label of a field is only the name of a class, a text near the field is
// used instead. A label that several cells of a row have is left out. The name of a row is left out
// if the row's cells repeat it.
func (o *printer) shownName(n *Node) string {
	name := readable(n.Name)
	switch {
	case name != "" && n.Role == "row" && o.in.Interactive && n.hasRefBelow():
		return n.textBelow(func(c *Node) bool { return c.Ref == 0 }) // its cells are printed below it
	case name != "" && n.Role == "row" && !o.in.Interactive && name == n.textBelow(all):
		return ""
	case name != "":
		return name
	case o.in.Interactive && !n.is("editable") && (n.Role == "generic" || n.isOneControl() && !n.isField() || n.is("clickable") || n.is("listens")):
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

// isOneOfMany reports whether the node is a cell of a row that has another cell with the same word, so
// that the word does not tell them apart.
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

// unlessLabel returns a text, or an empty text if a field below n has this text as its name.
func (n *Node) unlessLabel(text string) string {
	if text == "" || n.Walk(func(c *Node) bool { return !c.isField() || readable(c.Name) != text }) {
		return text
	}
	return ""
}

// nextText returns the text of the first of the nodes that has a text. It returns an empty text if
// before that there is a node with a ref, whose own line shows the text, or the label of a control.
func nextText(nodes iter.Seq2[int, *Node]) string {
	for _, n := range nodes {
		if n.usable || n.is("labels") || !n.Walk(func(c *Node) bool { return !c.usable }) {
			return ""
		}
		if text := cmp.Or(readable(n.Name), n.textBelow(all)); text != "" {
			return text
		}
	}
	return ""
}

// textBelow returns the text of the node and of the nodes below it, as far as the function into
// returns true for them.
func (n *Node) textBelow(into func(*Node) bool) string {
	return readable(strings.Join(n.textsBelow(into), " "))
}

// textsBelow returns the pieces of textBelow. A piece that is the same as the one before it is left
// out.
func (n *Node) textsBelow(into func(*Node) bool) []string {
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
			case !into(c):
			case c.holdsInput():
				add(c.Name)
			case c.Text != "":
				add(c.Text)
				visit(c)
			case c.Name != "" && c.Role != "row" && c.Walk(into):
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
