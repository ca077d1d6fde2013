package aria

import (
	"fmt"
	"image"
)

// box returns where the element is in the viewport of its frame, in CSS pixels. The result ok is
// false if the snapshot was made without boxes.
func (n *Node) box() (box image.Rectangle, ok bool) {
	var x, y, width, height int
	if _, err := fmt.Sscanf(n.Attrs["box"], "%d,%d,%d,%d", &x, &y, &width, &height); err != nil {
		return image.Rectangle{}, false
	}
	return image.Rect(x, y, x+width, y+height), true
}

// WalkBoxes calls visit for every node below n that has a box, with its box in the page's viewport.
// The nodes of a frame are moved by the box of the frame's element, and left out where that box
// hides them. A frame's border is not known: the boxes in it are a few pixels off.
func (n *Node) WalkBoxes(visit func(n *Node, box image.Rectangle)) {
	n.walkBoxes(image.Point{}, nil, visit)
}

func (n *Node) walkBoxes(origin image.Point, frame *image.Rectangle, visit func(*Node, image.Rectangle)) {
	for _, child := range n.Children {
		inside, within := origin, frame
		if box, ok := child.box(); ok {
			box = box.Add(origin)
			if frame != nil {
				box = box.Intersect(*frame)
			}
			if frame == nil || !box.Empty() {
				visit(child, box)
			}
			if child.Role == "iframe" {
				inside, within = box.Min, &box
			}
		}
		child.walkBoxes(inside, within, visit)
	}
}
