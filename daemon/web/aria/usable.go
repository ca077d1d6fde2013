package aria

import (
	"slices"
	"strings"
)

// HasRef reports whether the node gets a ref, by which commands can name it. A node gets one only
// if it has a PlaywrightRef, is not blocked by another element such as a dialog, and is one of these:
//
//   - a frame, a control or another element that can be edited
//   - a content element that has a name, such as a heading
//   - an element that shows by its cursor, its attributes or its listeners that it can be clicked,
//     unless it only wraps elements that have refs, or is only a part of one
func (n *Node) HasRef() bool { return n.usable }

// is reports whether one of the properties that describe in snapshot.js of launcher/driver sets
// is true.
func (n *Node) is(prop string) bool { return n.Props[prop] == "true" }

// isControl reports whether people use elements of the node's role.
func (n *Node) isControl() bool {
	switch n.Role {
	case "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "menuitem", "menuitemcheckbox",
		"menuitemradio", "option", "searchbox", "slider", "spinbutton", "switch", "tab", "treeitem", "iframe":
		return true
	}
	return n.is("editable")
}

// isOneControl reports whether the role of the node is that of a control without controls inside,
// such as a button. A click on any part of it is a click on the control.
func (n *Node) isOneControl() bool {
	switch n.Role {
	case "button", "link", "checkbox", "radio", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "switch", "tab":
		return true
	}
	return false
}

// markUsable decides which of the nodes below root get refs, and removes the nodes that the page
// does not mean to be used.
func markUsable(root *Node) { root.markBelow(nil) }

// markBelow calls mark for the children of n. The parameter control is the innermost ancestor that
// is one control as a whole or the label of a control, or nil.
func (n *Node) markBelow(control *Node) (refs []*Node) {
	if n.isOneControl() && n.PlaywrightRef != "" || n.is("labels") {
		control = n
	}
	n.Children = slices.DeleteFunc(n.Children, func(c *Node) bool { return c.is("unused") })
	for _, c := range n.Children {
		refs = append(refs, c.mark(control)...)
	}
	return refs
}

// mark decides for n and the nodes below it which of them get refs, and returns those.
func (n *Node) mark(control *Node) []*Node {
	if n.is("readonly") {
		n.Role, n.Name = "generic", "" // it only shows a text
	}
	below := n.markBelow(control)
	if n.is("blocked") {
		n.Walk(func(c *Node) bool { c.usable = false; return true })
		return nil
	}
	if n.PlaywrightRef == "" {
		return below
	}
	switch {
	case n.isControl():
		n.usable = !n.repeats(control)
	case n.is("labels"): // a click on its control has the same effect
	case n.isLandmark():
		n.usable = n.Name != ""
	case n.isNamedContent():
		n.usable = n.isMoreThan(below)
	case n.Attrs["cursor"] == "pointer" || n.is("clickable"):
		n.usable = n.isMoreThan(below) && !n.isPartOf(control)
	case n.is("listens") || n.is("focusable"):
		// A listener on a large element usually serves the elements in it.
		n.usable = len(below) == 0 && n.Role != "tabpanel" && !n.isPartOf(control) && len(n.textBelow(all)) <= maxListening
	}
	if n.usable {
		below = append(below, n)
	}
	return below
}

// maxListening is the most bytes of text in an element that counts as clickable only because of its
// listener.
const maxListening = 200

func all(*Node) bool { return true }

func (n *Node) isLandmark() bool {
	switch n.Role {
	case "article", "region", "main", "navigation":
		return true
	}
	return false
}

func (n *Node) isNamedContent() bool {
	switch n.Role {
	case "heading", "cell", "columnheader", "rowheader", "listitem":
		return n.Name != ""
	case "gridcell":
		return n.Name != "" || n.Props["label"] != "" || n.Props["word"] != "" && len(n.Children) > 0 // an icon
	}
	return false
}

// isMoreThan reports whether the element shows a text that the elements in it that have refs do not
// show.
func (n *Node) isMoreThan(refs []*Node) bool {
	if len(refs) == 0 {
		return true
	}
	for _, text := range n.textsBelow(func(c *Node) bool { return !c.usable }) {
		text = readable(text)
		if text != "" && !slices.ContainsFunc(refs, func(ref *Node) bool { return strings.Contains(readable(ref.Name), text) }) {
			return true
		}
	}
	return false
}

// isPartOf reports whether the element shows nothing but a part of what the control that it is in
// shows. An icon with a listener in a control that has a text is not such a part: it has an effect
// of its own, such as to remove an item.
func (n *Node) isPartOf(control *Node) bool {
	if control == nil {
		return false
	}
	text := n.textBelow(all)
	isIcon := text == "" && n.is("listens") && n.Props["label"] != "" && readable(control.Name) != ""
	return !isIcon && strings.Contains(readable(control.Name), text)
}

// repeats reports whether n is a link or a button that is the whole content of the control that it
// is in, such as the link in a tab.
func (n *Node) repeats(control *Node) bool {
	return control != nil && !control.is("labels") && (n.Role == "link" || n.Role == "button") && n.Name != "" && n.Name == control.Name
}
