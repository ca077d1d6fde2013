package picture

import (
	"image"
	"image/color"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// Label is a frame around an element of a page, with a text in its upper right corner, where it
// hides less of the element's own text than on the left.
type Label struct {
	Text string
	At   image.Rectangle // in pixels of the picture
}

// WithLabels returns a copy of a picture with labels. Labels outside of the picture are not drawn.
func WithLabels(img image.Image, labels []Label) image.Image {
	size := img.Bounds().Size()
	made := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(made, made.Bounds(), img, img.Bounds().Min, draw.Src)
	for _, l := range labels {
		if !l.At.Overlaps(made.Bounds()) {
			continue
		}
		drawFrame(made, l.At)
	}
	for _, l := range labels { // above all frames
		if l.At.Overlaps(made.Bounds()) {
			drawText(made, image.Pt(l.At.Max.X, l.At.Min.Y), l.Text)
		}
	}
	return made
}

const (
	lineWidth  = 2
	textMargin = 2
)

func frameColor() *image.Uniform { return image.NewUniform(color.RGBA{R: 220, A: 255}) }

func drawFrame(img draw.Image, at image.Rectangle) {
	line := frameColor()
	for _, side := range []image.Rectangle{
		{at.Min, image.Pt(at.Max.X, at.Min.Y+lineWidth)},
		{image.Pt(at.Min.X, at.Max.Y-lineWidth), at.Max},
		{at.Min, image.Pt(at.Min.X+lineWidth, at.Max.Y)},
		{image.Pt(at.Max.X-lineWidth, at.Min.Y), at.Max},
	} {
		draw.Draw(img, side, line, image.Point{}, draw.Src)
	}
}

// drawText draws a text in white on a red box, whose upper right corner is at a point, moved as far
// as needed for the box to be in the picture.
func drawText(img draw.Image, at image.Point, text string) {
	face := basicfont.Face7x13
	size := image.Pt(font.MeasureString(face, text).Ceil()+2*textMargin, face.Height)
	limit := img.Bounds().Max.Sub(size)
	at = image.Pt(max(0, min(at.X-size.X, limit.X)), max(0, min(at.Y, limit.Y)))
	draw.Draw(img, image.Rectangle{at, at.Add(size)}, frameColor(), image.Point{}, draw.Src)
	(&font.Drawer{Dst: img, Src: image.White, Face: face, Dot: fixed.P(at.X+textMargin, at.Y+face.Ascent)}).DrawString(text)
}
