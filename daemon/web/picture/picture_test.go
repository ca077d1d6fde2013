package picture_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/abrowser/abrowser/daemon/web/picture"
	"github.com/abrowser/abrowser/sockets/wire"
)

// plain returns a white picture with a blue rectangle.
func plain(width, height int, blue image.Rectangle) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(img, blue, image.NewUniform(color.RGBA{B: 255, A: 255}), image.Point{}, draw.Src)
	return img
}

func encoded(t *testing.T, img image.Image) []byte {
	t.Helper()
	content, err := picture.Encode(img, 0)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestCompare(t *testing.T) {
	base := plain(40, 20, image.Rect(0, 0, 10, 10))
	for _, tt := range []struct {
		name   string
		other  image.Image
		same   bool
		pixels int
	}{
		{"the same", plain(40, 20, image.Rect(0, 0, 10, 10)), true, 0},
		{"a wider rectangle", plain(40, 20, image.Rect(0, 0, 14, 10)), true, 40},
		{"another size", plain(41, 20, image.Rect(0, 0, 10, 10)), false, 820},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := picture.Compare(encoded(t, base), encoded(t, tt.other), 0.1, true)
			if err != nil || d.SameSize != tt.same || d.Pixels != tt.pixels {
				t.Fatalf("Compare() = %+v, %v; want same size %v, %d pixels", d, err, tt.same, tt.pixels)
			}
			if size := tt.other.Bounds().Size(); d.Total != size.X*size.Y || d.Ratio() != float64(tt.pixels)/float64(d.Total) {
				t.Errorf("of %d pixels a part of %v differs", d.Total, d.Ratio())
			}
			if without, err := picture.Compare(encoded(t, base), encoded(t, tt.other), 0.1, false); err != nil || without.Pixels != d.Pixels || without.Shown != nil {
				t.Errorf("without a picture of the differences: %+v, %v", without, err)
			}
			if tt.pixels == 40 {
				if r, g, _, _ := d.Shown.At(12, 5).RGBA(); r>>8 != 255 || g != 0 {
					t.Errorf("a difference is shown in %v", d.Shown.At(12, 5))
				}
			}
		})
	}
}

func TestDecodeAndEncode(t *testing.T) {
	for _, quality := range []int{0, 80} {
		content, err := picture.Encode(plain(8, 9, image.Rect(0, 0, 4, 9)), quality)
		if err != nil {
			t.Fatal(err)
		}
		img, err := picture.Decode(content)
		if err != nil || img.Bounds().Size() != image.Pt(8, 9) {
			t.Errorf("with quality %d the picture is %v, %v", quality, img, err)
		}
	}
	if _, err := picture.Decode([]byte("GIF89a")); !errors.Is(err, wire.CodeBadInput) {
		t.Errorf("Decode of a GIF = %v", err)
	}
	header := "IHDR\x00\x00\xff\xff\x00\x00\xff\xff\x08\x02\x00\x00\x00"
	huge := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\r"+header), crc32.ChecksumIEEE([]byte(header)))
	if _, err := picture.Decode(huge); !errors.Is(err, wire.CodeTooLarge) {
		t.Errorf("Decode of 65535 x 65535 pixels = %v", err)
	}
}

func TestWithLabels(t *testing.T) {
	base := plain(100, 60, image.Rectangle{})
	made := picture.WithLabels(base, []picture.Label{
		{"1", image.Rect(10, 10, 60, 40)},
		{"2", image.Rect(95, 55, 300, 300)}, // most of it is outside
		{"3", image.Rect(200, 10, 240, 40)},
	})
	red := func(x, y int) bool {
		r, g, _, _ := made.At(x, y).RGBA()
		return r>>8 == 220 && g == 0
	}
	for _, at := range []image.Point{{10, 30}, {59, 30}, {40, 39}, {40, 10}, {91, 58}} {
		if !red(at.X, at.Y) {
			t.Errorf("at %v the color is %v, want red", at, made.At(at.X, at.Y))
		}
	}
	for _, at := range []image.Point{{40, 30}, {5, 5}, {70, 30}} {
		if red(at.X, at.Y) {
			t.Errorf("at %v the picture is red", at)
		}
	}
}

func TestView(t *testing.T) {
	box := image.Rect(100, 200, 150, 220)
	for _, tt := range []struct {
		name  string
		view  picture.View
		width int
		want  image.Rectangle
	}{
		{"the viewport", picture.View{Width: 1280}, 1280, box},
		{"two pixels for each", picture.View{Width: 1280}, 2560, image.Rect(200, 400, 300, 440)},
		{"an element", picture.View{X: 90.5, Y: 200, Width: 300}, 300, image.Rect(9, 0, 59, 20)},
		{"the whole page, scrolled", picture.View{X: 0, Y: -1000, Width: 1280}, 1280, image.Rect(100, 1200, 150, 1220)},
	} {
		if got := tt.view.InImage(box, tt.width); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
