// Package picture compares screenshots and draws on them. It knows no page and no browser. Package
// web calls it.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"

	"github.com/orisano/pixelmatch"

	"github.com/abrowser/abrowser/sockets/wire"
)

// MaxPixels is how many pixels a picture may have, so that a small file cannot use up the memory.
const MaxPixels = 100 << 20

// Decode decodes a PNG or a JPEG. It returns [wire.CodeBadInput] for other content, and
// [wire.CodeTooLarge] for a picture of more than MaxPixels.
func Decode(content []byte) (image.Image, error) {
	size, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "it is not a PNG or JPEG that can be read")
	}
	if size.Width*size.Height > MaxPixels {
		return nil, wire.Errorf(wire.CodeTooLarge, "it has %d x %d pixels; it may have %d million in all", size.Width, size.Height, MaxPixels>>20)
	}
	decoded, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "it is not a PNG or JPEG that can be read: %v", err)
	}
	return decoded, nil
}

// Encode encodes a picture as a JPEG of the given quality, 1 to 100, or as a PNG if quality is 0.
func Encode(img image.Image, quality int) ([]byte, error) {
	var b bytes.Buffer
	var err error
	if quality > 0 {
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: quality})
	} else {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
	}
	return b.Bytes(), err
}

// Difference is the result of a comparison.
type Difference struct {
	SameSize bool
	Pixels   int // that differ; all of them if the sizes differ
	Total    int // of the later picture
	// Shown is the later picture, faded, with the differences in red. It is nil if the sizes differ.
	Shown image.Image
}

// Ratio returns the part of the pixels that differ, from 0 to 1.
func (d Difference) Ratio() float64 {
	if d.Total == 0 {
		return 0
	}
	return float64(d.Pixels) / float64(d.Total)
}

// Compare compares two pictures. The parameter tolerance, from 0 to 1, is how different two colors
// may be that count as the same. Pixels that differ only by the smoothing of edges count as the
// same, too.
func Compare(before, after image.Image, tolerance float64) (Difference, error) {
	size := after.Bounds().Size()
	d := Difference{SameSize: before.Bounds().Size() == size, Total: size.X * size.Y}
	if !d.SameSize {
		d.Pixels = d.Total
		return d, nil
	}
	var err error
	d.Pixels, err = pixelmatch.MatchPixel(atOrigin(before), atOrigin(after), pixelmatch.Threshold(tolerance), pixelmatch.WriteTo(&d.Shown))
	if err != nil {
		return d, fmt.Errorf("comparing pictures: %w", err)
	}
	return d, nil
}

// atOrigin returns a copy of a picture whose upper left corner is at 0, 0.
func atOrigin(img image.Image) *image.RGBA {
	size := img.Bounds().Size()
	made := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(made, made.Bounds(), img, img.Bounds().Min, draw.Src)
	return made
}
