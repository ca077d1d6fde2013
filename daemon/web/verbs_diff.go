package web

import (
	"context"
	"errors"
	"image"
	"os"
	"strconv"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon/web/aria"
	"github.com/abrowser/abrowser/daemon/web/diff"
	"github.com/abrowser/abrowser/daemon/web/picture"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// look compares what the page shows with what it has shown before, and draws on screenshots.
type look struct{ *pageCall }

func onLook[In, Out any](serve func(look, context.Context, In) (Out, error)) func(*pageCall, context.Context, In) (Out, error) {
	return func(c *pageCall, ctx context.Context, in In) (Out, error) { return serve(look{c}, ctx, in) }
}

// leastSeen is how many pixels of an element have to be in a screenshot, in each direction. One or
// two may be there only because positions are rounded.
const leastSeen = 3

// annotate draws the refs of the page's elements into the screenshot in out.
func (c look) annotate(ctx context.Context, s shot, out *verbs.ScreenshotOut) error {
	whole, err := c.capturedWithRefs(ctx, true)
	if err != nil {
		return err
	}
	img, err := picture.Decode(out.Image)
	if err != nil {
		return err
	}
	toImage, err := c.scale(s, img.Bounds().Dx())
	if err != nil {
		return err
	}
	var labels []picture.Label
	whole.root.WalkBoxes(func(n *aria.Node, box image.Rectangle) {
		at := toImage(box)
		seen := at.Intersect(img.Bounds())
		if n.Ref == 0 || seen.Dx() < leastSeen || seen.Dy() < leastSeen {
			return
		}
		number := strconv.Itoa(n.Ref)
		labels = append(labels, picture.Label{Text: number, At: at})
		out.Annotations = append(out.Annotations, verbs.Annotation{
			Number: n.Ref, Ref: "e" + number, Role: n.ShownRole(), Name: n.Name,
			Box: verbs.Box{X: at.Min.X, Y: at.Min.Y, Width: at.Dx(), Height: at.Dy()},
		})
	})
	out.Image, err = picture.Encode(picture.WithLabels(img, labels), s.jpegQuality())
	return err
}

// scale returns a function that converts a box in the visible part of the page to the same box in a
// screenshot of the given width.
func (c look) scale(s shot, width int) (func(image.Rectangle) image.Rectangle, error) {
	given, err := c.page.cdp.Send("Page.getLayoutMetrics", nil)
	if err != nil {
		return nil, codeError(err)
	}
	metrics, _ := given.(map[string]any)
	number := func(group, name string) float64 {
		members, _ := metrics[group].(map[string]any)
		value, _ := members[name].(float64)
		return value
	}
	// The origin and the width of the screenshot, in CSS pixels of the visible part.
	x, y, visible := 0.0, 0.0, number("cssVisualViewport", "clientWidth")
	switch {
	case s.element != nil:
		box, err := s.element.BoundingBox()
		if err != nil || box == nil {
			return nil, wire.Errorf(wire.CodeNotActionable, "the element is not shown").WithHint("abrowser snapshot")
		}
		x, y, visible = box.X, box.Y, box.Width
	case s.full:
		x, y, visible = -number("cssVisualViewport", "pageX"), -number("cssVisualViewport", "pageY"), number("cssContentSize", "width")
	}
	if visible <= 0 {
		return nil, wire.Errorf(wire.CodeInternal, "the page has no width").WithHint("abrowser set viewport 1280 720")
	}
	factor := float64(width) / visible
	convert := func(at image.Point) image.Point {
		return image.Pt(int((float64(at.X)-x)*factor), int((float64(at.Y)-y)*factor))
	}
	return func(box image.Rectangle) image.Rectangle {
		return image.Rectangle{Min: convert(box.Min), Max: convert(box.Max)}
	}, nil
}

// takenPicture is the last screenshot of a page with --if-changed.
type takenPicture struct {
	of       verbs.ScreenshotIn // what is shown in it
	content  []byte
	revision int
}

// sameColor is how different two colors may be that count as the same, from 0 to 1.
const sameColor = 0.1

// noteChange compares the screenshot in out with the last one, and takes its place.
func (c look) noteChange(in verbs.ScreenshotIn, out *verbs.ScreenshotOut) error {
	of := verbs.ScreenshotIn{Selector: in.Selector, Full: in.Full, Format: in.Format, Quality: in.Quality}
	last := c.page.taken
	out.Change = &verbs.Change{Changed: true, Ratio: 1, Revision: 1, Threshold: in.Threshold}
	c.page.taken = &takenPicture{of, out.Image, 1}
	if last == nil || last.of != of {
		return nil
	}
	d, err := comparePictures(last.content, out.Image, sameColor)
	if err != nil {
		return err
	}
	out.Ratio, out.Revision = d.Ratio(), last.revision+1
	if out.Changed = out.Ratio > in.Threshold || !d.SameSize; !out.Changed {
		c.page.taken.content = last.content // small changes add up
	}
	c.page.taken.revision = out.Revision
	return nil
}

func comparePictures(before, after []byte, tolerance float64) (picture.Difference, error) {
	was, err := picture.Decode(before)
	if err != nil {
		return picture.Difference{}, err
	}
	is, err := picture.Decode(after)
	if err != nil {
		return picture.Difference{}, err
	}
	return picture.Compare(was, is, tolerance)
}

// diffSnapshot compares a snapshot with a file or with the last snapshot.
func (c look) diffSnapshot(ctx context.Context, in verbs.DiffSnapshotIn) (verbs.DiffSnapshotOut, error) {
	of := verbs.SnapshotIn{Interactive: in.Interactive, Compact: in.Compact, Depth: in.Depth, Selector: in.Selector}
	baseline, err := readBaseline(in.Baseline)
	if err != nil {
		return verbs.DiffSnapshotOut{}, err
	}
	last := c.page.shown
	switch {
	case in.Baseline != "":
	case last == nil:
		return verbs.DiffSnapshotOut{}, wire.Errorf(wire.CodeBadInput, "there is no earlier snapshot of this tab").WithHint("abrowser snapshot")
	case of == (verbs.SnapshotIn{}):
		of = last.in
		of.Selector = in.Selector
	}
	if in.Baseline == "" && last.in != c.withFrame(of) {
		return verbs.DiffSnapshotOut{}, wire.Errorf(wire.CodeBadInput, "the last snapshot of this tab had other options").WithHint("abrowser diff snapshot")
	}
	now, err := c.snapshot(ctx, of)
	switch {
	case err != nil:
		return verbs.DiffSnapshotOut{}, err
	case in.Baseline != "":
		return diff.Texts(diff.WithoutRefs(string(baseline)), diff.WithoutRefs(now.Snapshot)), nil
	case last.document != c.page.shown.document: // the refs of another document are all others
		return diff.Texts(diff.WithoutRefs(last.text), diff.WithoutRefs(now.Snapshot)), nil
	}
	return diff.Texts(last.text, now.Snapshot), nil
}

const maxBaseline = 64 << 20 // bytes

// readBaseline reads a file to compare with. Without a path it returns nil.
func readBaseline(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, wire.Errorf(wire.CodeBadInput, "%.200s is not a file that can be read", path).WithHint("ls -l %s", path)
	}
	if info.Size() > maxBaseline {
		return nil, wire.Errorf(wire.CodeTooLarge, "%.200s has %d bytes; it may have %d", path, info.Size(), maxBaseline).WithHint("name another file")
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "%.200s is not a file that can be read", path).WithHint("ls -l %s", path)
	}
	return content, nil
}

// diffScreenshot compares a screenshot with a file.
func (c look) diffScreenshot(ctx context.Context, in verbs.DiffScreenshotIn) (verbs.DiffScreenshotOut, error) {
	baseline, err := readBaseline(in.Baseline)
	if err != nil {
		return verbs.DiffScreenshotOut{}, err
	}
	if _, err := picture.Decode(baseline); err != nil {
		var coded *wire.Error
		if errors.As(err, &coded) {
			return verbs.DiffScreenshotOut{}, wire.Errorf(coded.Code, "%.200s: %s", in.Baseline, coded.Message).WithHint("abrowser screenshot before.png")
		}
		return verbs.DiffScreenshotOut{}, err
	}
	now, err := c.screenshot(ctx, verbs.ScreenshotIn{Selector: in.Selector, Full: in.Full})
	if err != nil {
		return verbs.DiffScreenshotOut{}, err
	}
	return difference(baseline, now.Image, in)
}

// difference compares two pictures as diff screenshot does.
func difference(before, after []byte, in verbs.DiffScreenshotIn) (verbs.DiffScreenshotOut, error) {
	d, err := comparePictures(before, after, in.Threshold)
	if err != nil {
		return verbs.DiffScreenshotOut{}, err
	}
	out := verbs.DiffScreenshotOut{
		Match: d.Pixels == 0, MismatchPercentage: 100 * d.Ratio(), TotalPixels: d.Total, DifferentPixels: d.Pixels, DimensionMismatch: !d.SameSize,
	}
	if in.Output != "" && d.Shown != nil {
		out.DiffPath = in.Output
		out.Image, err = picture.Encode(d.Shown, 0)
	}
	return out, err
}

// diffURL compares two pages, which it opens one after the other.
func (c *call) diffURL(ctx context.Context, in verbs.DiffURLIn) (verbs.DiffURLOut, error) {
	ctx, cancel, err := c.limit(ctx, in.TimeoutIn, 2*waitTime)
	if err != nil {
		return verbs.DiffURLOut{}, err
	}
	defer cancel()
	before, pictureBefore, err := c.visit(ctx, in.Before, in)
	if err != nil {
		return verbs.DiffURLOut{}, err
	}
	after, pictureAfter, err := c.visit(ctx, in.After, in)
	if err != nil {
		return verbs.DiffURLOut{}, err
	}
	out := verbs.DiffURLOut{DiffSnapshotOut: diff.Texts(diff.WithoutRefs(before), diff.WithoutRefs(after))}
	if in.Screenshot {
		compared, err := difference(pictureBefore, pictureAfter, verbs.DiffScreenshotIn{Threshold: sameColor})
		if err != nil {
			return verbs.DiffURLOut{}, err
		}
		out.Screenshot = &compared
	}
	return out, nil
}

// visit opens a page and returns its snapshot and, if in requests that, its screenshot.
func (c *call) visit(ctx context.Context, url string, in verbs.DiffURLIn) (text string, shown []byte, err error) {
	if _, err := c.open(ctx, verbs.OpenIn{URL: url}); err != nil {
		return "", nil, err
	}
	at, err := c.currentPage(ctx)
	if err != nil {
		return "", nil, err
	}
	on := c.on(at)
	if in.WaitUntil == "networkidle" {
		if err := on.awaitLoadState(ctx, playwright.LoadStateNetworkidle); err != nil {
			return "", nil, err
		}
	}
	now, err := on.snapshot(ctx, verbs.SnapshotIn{Compact: in.Compact, Depth: in.Depth, Selector: in.Selector})
	if err != nil || !in.Screenshot {
		return now.Snapshot, nil, err
	}
	taken, err := on.screenshot(ctx, verbs.ScreenshotIn{Full: in.Full})
	return now.Snapshot, taken.Image, err
}
