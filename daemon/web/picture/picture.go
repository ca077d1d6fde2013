// Package picture compares screenshots and draws on them. It does not depend on pages or browsers.
// Package web calls it.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"github.com/orisano/pixelmatch"

	"github.com/abrowser/abrowser/sockets/wire"
)

// MaxPixels is how many pixels a picture may have, so that a small file cannot use up the memory.
const MaxPixels = 40 << 20

// Decode decodes a PNG or a JPEG. It returns [wire.CodeBadInput] for other content, and
// [wire.CodeTooLarge] for a picture of more than MaxPixels.
func Decode(content []byte) (image.Image, error) {
	if _, err := Size(content); err != nil {
		return nil, err
	}
	decoded, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "the picture cannot be decoded: %v", err).WithHint("abrowser screenshot page.png")
	}
	return decoded, nil
}

// Size returns the size of a PNG or a JPEG. Its errors are those of Decode.
func Size(content []byte) (image.Point, error) {
	size, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return image.Point{}, wire.Errorf(wire.CodeBadInput, "the picture is neither a PNG nor a JPEG").WithHint("abrowser screenshot page.png")
	}
	if size.Width*size.Height > MaxPixels {
		return image.Point{}, wire.Errorf(wire.CodeTooLarge, "the picture has %d x %d pixels; it may have %d million in all", size.Width, size.Height, MaxPixels>>20).
			WithHint("abrowser screenshot without --full, or of one element")
	}
	return image.Pt(size.Width, size.Height), nil
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
	// Shown is the later picture, faded, with the differences in red. It is nil unless it was
	// requested and the sizes are the same.
	Shown image.Image
}

// Ratio returns the share of the pixels that differ, from 0 to 1.
func (d Difference) Ratio() float64 {
	if d.Total == 0 {
		return 0
	}
	return float64(d.Pixels) / float64(d.Total)
}

// Compare compares two pictures, each a PNG or a JPEG. The parameter tolerance is the largest
// difference of two colors that counts as equal, from 0 to 1. Pixels that differ only by the
// smoothing of edges count as equal, too. If show is true, the result has a picture of the
// differences. The errors are those of [Decode].
func Compare(before, after []byte, tolerance float64, show bool) (Difference, error) {
	size, err := Size(after)
	if err != nil {
		return Difference{}, err
	}
	old, err := Size(before)
	if err != nil {
		return Difference{}, err
	}
	d := Difference{SameSize: old == size, Total: size.X * size.Y}
	switch {
	case !d.SameSize:
		d.Pixels = d.Total
		return d, nil
	case !show && bytes.Equal(before, after):
		return d, nil
	}
	was, err := Decode(before)
	if err != nil {
		return Difference{}, err
	}
	is, err := Decode(after)
	if err != nil {
		return Difference{}, err
	}
	options := []pixelmatch.MatchOption{pixelmatch.Threshold(tolerance)}
	if show {
		options = append(options, pixelmatch.WriteTo(&d.Shown))
	}
	if d.Pixels, err = pixelmatch.MatchPixel(was, is, options...); err != nil {
		return d, fmt.Errorf("comparing pictures: %w", err)
	}
	return d, nil
}
