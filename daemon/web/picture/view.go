package picture

import "image"

// View is the part of a page that a screenshot shows, in CSS pixels relative to the viewport.
type View struct{ X, Y, Width float64 }

// InImage returns where a box of the viewport is in a screenshot that is width pixels wide.
func (v View) InImage(box image.Rectangle, width int) image.Rectangle {
	factor := float64(width) / v.Width
	convert := func(at image.Point) image.Point {
		return image.Pt(int((float64(at.X)-v.X)*factor), int((float64(at.Y)-v.Y)*factor))
	}
	return image.Rectangle{Min: convert(box.Min), Max: convert(box.Max)}
}
