package aria

import (
	"fmt"
	"image"
)

// Box returns where the element is in the visible part of its frame, in CSS pixels. The result ok is
// false if the snapshot was made without boxes.
func (n *Node) Box() (box image.Rectangle, ok bool) {
	var x, y, width, height int
	if _, err := fmt.Sscanf(n.Attrs["box"], "%d,%d,%d,%d", &x, &y, &width, &height); err != nil {
		return image.Rectangle{}, false
	}
	return image.Rect(x, y, x+width, y+height), true
}

// WalkBoxes calls visit for every node below n that has a box, with its box in the visible part of
// the page. The boxes of the nodes in a frame are moved by the box of the frame's element.
func (n *Node) WalkBoxes(visit func(n *Node, box image.Rectangle)) { n.walkBoxes(image.Point{}, visit) }

func (n *Node) walkBoxes(origin image.Point, visit func(*Node, image.Rectangle)) {
	for _, child := range n.Children {
		inside := origin
		if box, ok := child.Box(); ok {
			box = box.Add(origin)
			visit(child, box)
			if child.Role == "iframe" {
				inside = box.Min
			}
		}
		child.walkBoxes(inside, visit)
	}
}
