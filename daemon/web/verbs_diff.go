package web

import (
	"context"
	"image"
	"strconv"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
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
	shown, err := c.view(ctx, s)
	if err != nil {
		return err
	}
	img, err := picture.Decode(out.Image)
	if err != nil {
		return err
	}
	var labels []picture.Label
	whole.root.WalkBoxes(func(n *aria.Node, box image.Rectangle) {
		at := shown.InImage(box, img.Bounds().Dx())
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
	if ctx.Err() != nil {
		return daemon.ContextError(ctx)
	}
	out.Image, err = picture.Encode(picture.WithLabels(img, labels), s.jpegQuality())
	return err
}

// view returns which part of the page a screenshot shows.
func (c look) view(ctx context.Context, s shot) (picture.View, error) {
	var shown picture.View
	if s.element != nil {
		limit := daemon.TimeLeft(ctx, readTime)
		box, err := readFor(c.call, limit+daemon.Grace, func() (*playwright.Rect, error) {
			return s.element.BoundingBox(playwright.LocatorBoundingBoxOptions{Timeout: playwright.Float(milliseconds(limit))})
		})
		if err != nil {
			return shown, codeError(err)
		}
		if box != nil {
			shown = picture.View{X: box.X, Y: box.Y, Width: box.Width}
		}
	} else {
		given, err := askAside(ctx, c.page.conn, func() (any, error) { return c.page.cdp.Send("Page.getLayoutMetrics", nil) })
		if err != nil {
			return shown, codeError(err)
		}
		metrics, _ := given.(map[string]any)
		number := func(group, name string) float64 {
			members, _ := metrics[group].(map[string]any)
			value, _ := members[name].(float64)
			return value
		}
		shown.Width = number("cssVisualViewport", "clientWidth")
		if s.full {
			shown = picture.View{X: -number("cssVisualViewport", "pageX"), Y: -number("cssVisualViewport", "pageY"), Width: number("cssContentSize", "width")}
		}
	}
	if shown.Width <= 0 {
		return shown, wire.Errorf(wire.CodeNotActionable, "what the screenshot shows has no width any more").WithHint(daemon.HintSnapshot)
	}
	return shown, nil
}

// takenPicture is the last screenshot of a page with --if-changed.
type takenPicture struct {
	of       pictureKind
	content  []byte
	revision int
}

// pictureKind is what a screenshot shows, and its encoding. Only screenshots of the same kind are
// compared.
type pictureKind struct {
	selector string // with the session's frame
	full     bool
	quality  int
}

// sameColor is the largest difference of two colors that counts as equal, from 0 to 1.
const sameColor = 0.1

// compareWithLast compares the screenshot in out with the last one, and stores the result in out. It
// returns what to store as the last one when the caller gets the screenshot.
func (c look) compareWithLast(in verbs.ScreenshotIn, s shot, out *verbs.ScreenshotOut) (*takenPicture, error) {
	now := &takenPicture{pictureKind{c.frame + in.Selector, in.Full, s.jpegQuality()}, out.Image, 1}
	last := c.page.taken
	out.Change = &verbs.Change{Changed: true, Ratio: 1, Revision: 1, Threshold: in.Threshold}
	if last == nil || last.of != now.of {
		return now, nil
	}
	d, err := picture.Compare(last.content, out.Image, sameColor, false)
	if err != nil {
		return nil, err
	}
	now.revision = last.revision + 1
	out.Ratio, out.Revision = d.Ratio(), now.revision
	if out.Changed = out.Ratio > in.Threshold || !d.SameSize; !out.Changed {
		now.content = last.content // so that small changes add up
	}
	return now, nil
}

// diffSnapshot compares a snapshot with a file or with the last snapshot.
func (c look) diffSnapshot(ctx context.Context, in verbs.DiffSnapshotIn) (verbs.DiffSnapshotOut, error) {
	of := verbs.SnapshotIn{Interactive: in.Interactive, Compact: in.Compact, Depth: in.Depth, Selector: in.Selector}
	last := c.page.shown
	if in.Baseline != "" {
		baseline, err := daemon.ReadFile(in.Baseline, maxBaseline)
		if err != nil {
			return verbs.DiffSnapshotOut{}, err
		}
		now, err := c.snapshot(ctx, of)
		c.page.shown = last // the caller does not see the new one
		return diff.Texts(diff.WithoutRefs(string(baseline)), diff.WithoutRefs(now.Snapshot)), err
	}
	switch {
	case last == nil:
		return verbs.DiffSnapshotOut{}, wire.Errorf(wire.CodeBadInput, "there is no earlier snapshot of this tab").WithHint(daemon.HintSnapshot)
	case of == (verbs.SnapshotIn{}):
		of = last.in
		of.Selector = strings.TrimPrefix(of.Selector, c.frame)
	}
	if last.in != c.withFrame(of) {
		return verbs.DiffSnapshotOut{}, wire.Errorf(wire.CodeBadInput, "the last snapshot of this tab had other options").WithHint(daemon.HintSnapshot)
	}
	now, err := c.snapshot(ctx, of)
	switch {
	case err != nil:
		return verbs.DiffSnapshotOut{}, err
	case last.document != c.page.shown.document: // the refs of two documents have nothing in common
		return diff.Texts(diff.WithoutRefs(last.text), diff.WithoutRefs(now.Snapshot)), nil
	}
	return diff.Texts(last.text, now.Snapshot), nil
}

const maxBaseline = 64 << 20 // bytes

// diffScreenshot compares a screenshot with a file.
func (c look) diffScreenshot(ctx context.Context, in verbs.DiffScreenshotIn) (verbs.DiffScreenshotOut, error) {
	baseline, err := daemon.ReadFile(in.Baseline, maxBaseline)
	if err != nil {
		return verbs.DiffScreenshotOut{}, err
	}
	if _, err := picture.Size(baseline); err != nil {
		coded := wire.AsError(err)
		return verbs.DiffScreenshotOut{}, wire.Errorf(coded.Code, "%.200s: %s", in.Baseline, coded.Message).WithHint("%s", coded.Hint)
	}
	now, err := c.screenshot(ctx, verbs.ScreenshotIn{Selector: in.Selector, Full: in.Full})
	if err != nil {
		return verbs.DiffScreenshotOut{}, err
	}
	return difference(baseline, now.Image, in)
}

// difference compares two pictures as diff screenshot does.
func difference(before, after []byte, in verbs.DiffScreenshotIn) (verbs.DiffScreenshotOut, error) {
	d, err := picture.Compare(before, after, in.Threshold, in.Output != "")
	if err != nil {
		return verbs.DiffScreenshotOut{}, err
	}
	out := verbs.DiffScreenshotOut{
		Match: d.Pixels == 0, MismatchPercentage: 100 * d.Ratio(), TotalPixels: d.Total, DifferentPixels: d.Pixels, DimensionMismatch: !d.SameSize,
	}
	if d.Shown != nil {
		out.DiffPath = in.Output
		out.Image, err = picture.Encode(d.Shown, 0)
	}
	return out, err
}

// diffURL compares two pages, which it opens one after the other.
func (c *call) diffURL(ctx context.Context, in verbs.DiffURLIn) (verbs.DiffURLOut, error) {
	for _, url := range []string{in.Before, in.After} {
		if _, err := c.address(url); err != nil {
			return verbs.DiffURLOut{}, err
		}
	}
	if err := checkOptional(in.Selector); err != nil {
		return verbs.DiffURLOut{}, err
	}
	ctx, cancel, err := c.limit(ctx, in.TimeoutIn, waitTime)
	if err != nil {
		return verbs.DiffURLOut{}, err
	}
	defer cancel()
	before, err := c.visit(ctx, in.Before, in)
	if err != nil {
		return verbs.DiffURLOut{}, err
	}
	after, err := c.visit(ctx, in.After, in)
	if err != nil {
		return verbs.DiffURLOut{}, err
	}
	out := verbs.DiffURLOut{DiffSnapshotOut: diff.Texts(before.text, after.text), Effects: before.effects.And(after.effects)}
	if in.Screenshot {
		compared, err := difference(before.picture, after.picture, verbs.DiffScreenshotIn{Threshold: sameColor})
		if err != nil {
			return verbs.DiffURLOut{}, err
		}
		out.Screenshot = &compared
	}
	return out, nil
}

// visited is a page that was opened for a comparison.
type visited struct {
	text    string // of its snapshot, without refs
	picture []byte // nil unless it was requested
	effects verbs.Effects
}

// visit opens a page and returns what to compare.
func (c *call) visit(ctx context.Context, url string, in verbs.DiffURLIn) (visited, error) {
	opened, err := c.open(ctx, verbs.OpenIn{URL: url, TimeoutIn: verbs.TimeoutIn{Timeout: int(milliseconds(daemon.TimeLeft(ctx, maxTime)))}})
	if err != nil {
		return visited{}, err
	}
	v := visited{effects: opened.Effects}
	at, err := c.currentPage(ctx)
	if err != nil {
		return v, err
	}
	on := c.on(at)
	defer func() { at.shown = nil }() // the caller does not see this snapshot
	if in.WaitUntil == "networkidle" {
		if err := on.awaitLoadState(ctx, playwright.LoadStateNetworkidle); err != nil {
			return v, err
		}
	}
	now, err := on.snapshot(ctx, verbs.SnapshotIn{Compact: in.Compact, Depth: in.Depth, Selector: in.Selector})
	if err != nil {
		return v, err
	}
	v.text = diff.WithoutRefs(now.Snapshot)
	if in.Screenshot {
		taken, err := on.screenshot(ctx, verbs.ScreenshotIn{Full: in.Full})
		v.picture = taken.Image
		return v, err
	}
	return v, nil
}
