package aria

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// beside is how many siblings before a text, and how many after it, are searched for a field that
// has the text as its name.
const beside = 2

// repeats reports whether the line of a node would only show what another line of the snapshot
// shows. The node then gets no line. This is so for:
//
//   - a text that is the name of the element around it, or of a field beside it, or that is part of
//     the name of the control or the heading around it
//   - an image without a name inside a control
//   - an element without a ref that contains exactly one element with a ref, if both have the same
//     name
//
// In a snapshot of the interactive elements, it is also so for:
//
//   - a cell, a list item or a clickable wrapper that contains exactly one element with a ref, if
//     both have the same name. Events of the inner element reach the outer one, too
//   - a clickable part of a tree item that has the name of the item, if the item has no other parts
//     with refs
func (o *printer) repeats(n *Node) bool {
	switch {
	case n.isBareText():
		return o.isShownBeside(n)
	case n.Role == "img" && n.Ref == 0:
		return n.Name == "" && n.textBelow(all) == "" && !n.hasRefBelow() && slices.ContainsFunc(o.parents, (*Node).isOneControl)
	case n.Role == "generic" && n.Ref == 0 && n.Name != "" && n.Text == "":
		inner := n.outermostRefs()
		return len(inner) == 1 && readable(inner[0].Name) == readable(n.Name)
	case !o.in.Interactive || n.Ref == 0 || n.isSet("editable"):
		return false
	}
	name := o.shownName(n)
	if name == "" {
		return false
	}
	inner := n.outermostRefs()
	isWrapper := n.Role == "generic" || n.Role == "cell" || n.Role == "gridcell" || n.Role == "columnheader" || n.Role == "rowheader" || n.Role == "listitem"
	switch {
	case isWrapper && len(inner) == 1:
		return readable(inner[0].Name) == name || inner[0].Role == "generic" && o.shownName(inner[0]) == name
	case n.Role != "generic" || len(inner) > 0:
		return false
	}
	item := o.innermostRef()
	return item != nil && item.Role == "treeitem" && readable(item.Name) == name && len(item.outermostRefs()) == 1
}

// isBareText reports whether the node is a run of text, or an element without a ref and a name that
// contains only a text.
func (n *Node) isBareText() bool {
	return n.Role == "text" || n.Role == "generic" && n.Ref == 0 && n.Name == "" && n.Text != "" && len(n.Children) == 0
}

// isShownBeside reports whether the text of n is also the name of another element that has a line:
// of a field beside n, or of the innermost such element around n. If the element around n is a
// control or a heading, it suffices that its name contains the text.
func (o *printer) isShownBeside(n *Node) bool {
	text := readable(n.Text)
	for i, parent := range slices.Backward(o.parents) {
		switch {
		case o.isBesideField(i, text):
			return true
		case parent.Role != "generic" || parent.Ref > 0 || parent.Name != "":
			name := readable(parent.Name)
			return name == text || (parent.isOneControl() || parent.Role == "heading") && hasWords(name, text)
		case len(parent.Children) > 1:
			return false
		}
	}
	return false
}

// hasWords reports whether the text contains the given words as whole words.
func hasWords(text, words string) bool {
	isInWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; words != ""; {
		found := strings.Index(text[at:], words)
		if found < 0 {
			break
		}
		last, _ := utf8.DecodeLastRuneInString(text[:at+found])
		next, _ := utf8.DecodeRuneInString(text[at+found+len(words):])
		if !isInWord(last) && !isInWord(next) {
			return true
		}
		at += found + len(words)
	}
	return false
}

// isBesideField reports whether there is a field with this name beside the current node. It
// searches the siblings of that child of o.parents[i] that is, or contains, the current node.
func (o *printer) isBesideField(i int, name string) bool {
	siblings, at := o.parents[i].Children, o.indexes[i]
	for _, nodes := range []iter.Seq2[int, *Node]{slices.Backward(siblings[max(0, at-beside):at]), slices.All(siblings[at+1 : min(at+1+beside, len(siblings))])} {
		for _, n := range nodes {
			if n.isFieldNamed(name) {
				return true
			}
			if inner := n.outermostRefs(); n.Ref == 0 && len(inner) == 1 && inner[0].isFieldNamed(name) {
				return true
			}
		}
	}
	return false
}

// isFieldNamed reports whether the node is a field with a ref and this name.
func (n *Node) isFieldNamed(name string) bool {
	return n.Ref > 0 && n.isField() && readable(n.Name) == name
}

// isField reports whether the node has the role of a form field, which usually gets its name from a
// label.
func (n *Node) isField() bool {
	switch n.Role {
	case "textbox", "searchbox", "checkbox", "radio", "switch", "combobox", "listbox", "spinbutton", "slider":
		return true
	}
	return false
}

// outermostRefs returns the nodes below n that have refs. It leaves out nodes that are below
// another node with a ref.
func (n *Node) outermostRefs() []*Node {
	var refs []*Node
	for _, c := range n.Children {
		if c.Ref > 0 {
			refs = append(refs, c)
		} else {
			refs = append(refs, c.outermostRefs()...)
		}
	}
	return refs
}

// innermostRef returns the innermost ancestor of the current node that has a ref, or nil.
func (o *printer) innermostRef() *Node {
	for _, p := range slices.Backward(o.parents) {
		if p.Ref > 0 {
			return p
		}
	}
	return nil
}
