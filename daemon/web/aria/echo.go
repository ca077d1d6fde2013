package aria

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// beside is the number of siblings before and after a text among which the field that has the text as
// its name is looked for.
const beside = 2

// repeats reports whether all that the line of a node would show is on another line of the snapshot:
//
//   - a text that is the name of the element that it is in, or of the field beside it, or that is in
//     the name of the control or the heading that it is in
//   - an image without a name in a control
//   - an element without a ref around one element that has the same name
//
// In a snapshot of the interactive elements, a node also repeats another one if it is
//
//   - a cell, a list item or a clickable wrapper around one element that has the same name. Events
//     of this element reach the node, too
//   - a clickable part of a tree item that has no other parts
func (o *printer) repeats(n *Node) bool {
	switch {
	case n.isBareText():
		return o.isShownBeside(n)
	case n.Role == "img" && n.Ref == 0:
		return n.Name == "" && n.textBelow(all) == "" && !n.hasRefBelow() && slices.ContainsFunc(o.parents, (*Node).isOneControl)
	case n.Role == "generic" && n.Ref == 0 && n.Name != "" && n.Text == "":
		inner := n.outermostRefs()
		return len(inner) == 1 && readable(inner[0].Name) == readable(n.Name)
	case !o.in.Interactive || n.Ref == 0 || n.is("editable"):
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

// isShownBeside reports whether the text of n is the name of the innermost element around it that
// has a line, or of the field beside it. The name of a control or a heading may also contain the text.
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

// hasWords reports whether a text contains words, not only as a part of longer words.
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

// isBesideField reports whether there is a field with this name beside the child of the parent with
// the index i. The child is, or contains, the current node.
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

// isField reports whether the node has a role of elements that get their names from labels.
func (n *Node) isField() bool {
	switch n.Role {
	case "textbox", "searchbox", "checkbox", "radio", "switch", "combobox", "listbox", "spinbutton", "slider":
		return true
	}
	return false
}

// outermostRefs returns the nodes below n that have refs, without those that are below others of them.
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
