package web

import (
	"cmp"
	"context"
	"encoding/base64"
	"path"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/film"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// withImagePath moves the argument from Selector to Path if it is the command's only argument and
// names a file.
func withImagePath(in verbs.ScreenshotIn) verbs.ScreenshotIn {
	if in.Path == "" && in.Selector != "" && isImagePath(in.Selector) {
		in.Selector, in.Path = "", in.Selector
	}
	return in
}

func checkScreenshot(in verbs.ScreenshotIn) error {
	in = withImagePath(in)
	if _, err := imageType(in); err != nil {
		return err
	}
	return checkOptional(in.Selector)
}

func (c *pageCall) screenshot(ctx context.Context, in verbs.ScreenshotIn) (verbs.ScreenshotOut, error) {
	in = withImagePath(in)
	kind, err := imageType(in)
	if err != nil {
		return verbs.ScreenshotOut{}, err
	}
	s := shot{full: in.Full, kind: kind, asFile: in.Path != "" && !in.Annotate && !in.IfChanged}
	if *kind == *playwright.ScreenshotTypeJpeg {
		s.quality = playwright.Int(cmp.Or(in.Quality, usualQuality))
	}
	if in.Selector != "" || c.frame != "" {
		s.element = c.page.Locator(c.frameDocument().query)
		if in.Selector != "" {
			if s.element, err = c.findOne(ctx, in.Selector); err != nil {
				return verbs.ScreenshotOut{}, err
			}
		}
	}
	out := verbs.ScreenshotOut{Path: in.Path}
	if err := c.take(ctx, s, in.Selector, &out); err != nil {
		return verbs.ScreenshotOut{}, err
	}
	last := c.page.taken
	if in.IfChanged {
		if last, err = (look{c}).compareWithLast(in, s, &out); err != nil {
			return verbs.ScreenshotOut{}, err
		}
	}
	switch {
	case in.IfChanged && !out.Changed:
		out.Path, out.Image = "", nil
	case in.Annotate:
		err = look{c}.annotate(ctx, s, &out)
	}
	if err == nil {
		c.page.taken = last
	}
	return out, err
}

// shot is what a screenshot shows, and how it is encoded.
type shot struct {
	element playwright.Locator // nil for the page
	full    bool               // the whole page, not only its visible part
	kind    *playwright.ScreenshotType
	quality *int // of a JPEG; nil for a PNG
	asFile  bool // a large screenshot may be in a file: see [verbs.ScreenshotOut]
}

const usualQuality = 80

// jpegQuality returns the quality of a JPEG, or 0 for a PNG.
func (s shot) jpegQuality() int {
	if s.quality == nil {
		return 0
	}
	return *s.quality
}

// take takes a screenshot and stores it in out. The parameter given is the selector of its element,
// as the caller has given it.
func (c *pageCall) take(ctx context.Context, s shot, given string, out *verbs.ScreenshotOut) error {
	release, err := c.HoldFront(ctx)
	if err != nil {
		return err
	}
	defer release()
	limit := daemon.TimeLeft(ctx, actionTime)
	take := func() error { return c.takePicture(s, limit, out) }
	if s.element != nil {
		take = func() (err error) {
			out.Image, err = s.element.Screenshot(playwright.LocatorScreenshotOptions{
				Type: s.kind, Quality: s.quality, Timeout: playwright.Float(milliseconds(limit)), Caret: playwright.ScreenshotCaretInitial,
			})
			return err
		}
	}
	err = c.peek(limit+daemon.Grace, take)
	switch {
	case err != nil && ctx.Err() != nil:
		return daemon.ContextError(ctx)
	case isTimeout(err) && given != "":
		return wire.Errorf(wire.CodeNotActionable, "%q is not shown", given).WithHint(daemon.HintSnapshot)
	case isTimeout(err):
		return wire.Errorf(wire.CodeWedged, "the page drew no picture within %v", limit).WithHint("abrowser status")
	}
	return codeError(err)
}

// takePicture takes a picture of the page by picture.js of launcher/driver. If picture.js
// cannot take it, Playwright does.
func (c *pageCall) takePicture(s shot, limit time.Duration, out *verbs.ScreenshotOut) error {
	ask := map[string]any{"target": c.page.target, "type": string(*s.kind), "full": s.full, "files": s.asFile, "limit": milliseconds(limit)}
	if s.quality != nil {
		ask["quality"] = *s.quality
	}
	given, err := c.page.cdp.Send("Abrowser.picture", ask)
	if err != nil {
		return err
	}
	answer, _ := given.(map[string]any)
	data, _ := answer["data"].(string)
	out.Source, _ = answer["file"].(string)
	switch answer["state"] {
	case "done":
		out.Image, err = base64.StdEncoding.DecodeString(data)
		return err
	case "late":
		return playwright.ErrTimeout
	}
	out.Image, err = c.page.Screenshot(playwright.PageScreenshotOptions{
		FullPage: &s.full, Type: s.kind, Quality: s.quality, Timeout: playwright.Float(milliseconds(limit)), Caret: playwright.ScreenshotCaretInitial,
	})
	return err
}

// photograph puts a screenshot into a film that has no picture. On a busy machine the browser may
// send its first picture only after the command that ends the video.
func (c *pageCall) photograph(ctx context.Context, into *film.Film) {
	var out verbs.ScreenshotOut
	if err := c.take(ctx, shot{kind: playwright.ScreenshotTypeJpeg, quality: playwright.Int(filmJPEGs)}, "", &out); err != nil {
		c.Log.Warn("taking the only picture of a video", "error", err)
		return
	}
	into.Put(out.Image)
}

// imageType returns the format of a screenshot: that of the path's extension, or the given one.
func imageType(in verbs.ScreenshotIn) (*playwright.ScreenshotType, error) {
	switch ext := strings.ToLower(path.Ext(in.Path)); ext {
	case ".jpg", ".jpeg":
		return playwright.ScreenshotTypeJpeg, nil
	case ".png":
		return playwright.ScreenshotTypePng, nil
	case ".webp", ".gif", ".bmp", ".pdf":
		return nil, wire.Errorf(wire.CodeBadInput, "%s files cannot be written; .png and .jpg can", ext).WithHint("abrowser screenshot page.png")
	}
	if in.Format == "jpeg" {
		return playwright.ScreenshotTypeJpeg, nil
	}
	return playwright.ScreenshotTypePng, nil
}
