package aria

import (
	"slices"
	"strings"
)

// HasRef reports whether the node gets a ref, by which commands can name it. A node gets a ref only
// if it has a PlaywrightRef, is not blocked by another element such as a dialog, and is one of
// these:
//
//   - a frame, a control or another element that can be edited
//   - a content element that has a name, such as a heading
//   - an element whose cursor, attributes or listeners show that it can be clicked, unless it only
//     wraps elements that have refs, or is only a part of an element that has one
func (n *Node) HasRef() bool { return n.usable }

// isSet reports whether a property is "true". The function describe in snapshot.js of
// launcher/driver sets these properties.
func (n *Node) isSet(prop string) bool { return n.Props[prop] == "true" }

// isControl reports whether the node has the role of a control, such as a button, or can be edited.
func (n *Node) isControl() bool {
	switch n.Role {
	case "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "menuitem", "menuitemcheckbox",
		"menuitemradio", "option", "searchbox", "slider", "spinbutton", "switch", "tab", "treeitem", "iframe":
		return true
	}
	return n.isSet("editable")
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

// markUsable decides which of the nodes below root get refs. It removes the nodes that have the
// property unused: see describe in snapshot.js of launcher/driver.
func markUsable(root *Node) { root.markBelow(nil) }

// markBelow calls mark for the children of n, and returns the nodes below n that get refs. The
// parameter control is the innermost ancestor that is a control without controls inside, or the
// label of a control. It may be nil.
func (n *Node) markBelow(control *Node) (refs []*Node) {
	if n.isOneControl() && n.PlaywrightRef != "" || n.isSet("labels") {
		control = n
	}
	n.Children = slices.DeleteFunc(n.Children, func(c *Node) bool { return c.isSet("unused") })
	for _, c := range n.Children {
		refs = append(refs, c.mark(control)...)
	}
	return refs
}

// mark decides which of n and the nodes below it get refs, and returns these nodes.
func (n *Node) mark(control *Node) []*Node {
	if n.isSet("readonly") {
		n.Role, n.Name = "generic", "" // it only shows a text
	}
	below := n.markBelow(control)
	if n.isSet("blocked") {
		n.Walk(func(c *Node) bool { c.usable = false; return true })
		return nil
	}
	if n.PlaywrightRef == "" {
		return below
	}
	switch {
	case n.isControl():
		n.usable = !n.repeats(control)
	case n.isSet("labels"): // a click on its control has the same effect
	case n.isLandmark():
		n.usable = n.Name != ""
	case n.isNamedContent():
		n.usable = n.isMoreThan(below)
	case n.Attrs["cursor"] == "pointer" || n.isSet("clickable"):
		n.usable = n.isMoreThan(below) && !n.isPartOf(control)
	case n.isSet("listens") || n.isSet("focusable"):
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

// isMoreThan reports whether the element shows a text that none of the nodes in refs shows. These
// are the nodes inside the element that have refs.
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

// isPartOf reports whether the element shows only a part of what the control around it shows. An
// icon with a listener in a control that has a text is not such a part: it has an effect of its
// own, such as to remove an item.
func (n *Node) isPartOf(control *Node) bool {
	if control == nil {
		return false
	}
	text := n.textBelow(all)
	isIcon := text == "" && n.isSet("listens") && n.Props["label"] != "" && readable(control.Name) != ""
	return !isIcon && strings.Contains(readable(control.Name), text)
}

// repeats reports whether n is a link or a button that is the whole content of the control around
// it, such as the link in a tab.
func (n *Node) repeats(control *Node) bool {
	return control != nil && !control.isSet("labels") && (n.Role == "link" || n.Role == "button") && n.Name != "" && n.Name == control.Name
}
