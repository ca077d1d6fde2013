package web

import (
	"context"
	"encoding/base64"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
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
	if _, err := imageType(in.Path); err != nil {
		return err
	}
	return checkOptional(in.Selector)
}

func (c *pageCall) screenshot(ctx context.Context, in verbs.ScreenshotIn) (verbs.ScreenshotOut, error) {
	in = withImagePath(in)
	kind, err := imageType(in.Path)
	if err != nil {
		return verbs.ScreenshotOut{}, err
	}
	release, err := c.HoldFront(ctx)
	if err != nil {
		return verbs.ScreenshotOut{}, err
	}
	defer release()
	out := verbs.ScreenshotOut{Path: in.Path}
	limit := daemon.TimeLeft(ctx, actionTime)
	take := func() error { return c.takePicture(in.Full, kind, limit, &out) }
	if in.Selector != "" || c.frame != "" {
		at := c.page.Locator(c.frameDocument().query)
		if in.Selector != "" {
			if at, err = c.findOne(ctx, in.Selector); err != nil {
				return verbs.ScreenshotOut{}, err
			}
		}
		limit = daemon.TimeLeft(ctx, actionTime)
		take = func() (err error) {
			out.Image, err = at.Screenshot(playwright.LocatorScreenshotOptions{
				Type: kind, Timeout: playwright.Float(milliseconds(limit)), Caret: playwright.ScreenshotCaretInitial,
			})
			return err
		}
	}
	err = c.peek(limit+daemon.Grace, func() error { return nudgeWhile(c.page, take) })
	switch {
	case err != nil && ctx.Err() != nil:
		return verbs.ScreenshotOut{}, daemon.ContextError(ctx)
	case isTimeout(err) && in.Selector != "":
		return verbs.ScreenshotOut{}, wire.Errorf(wire.CodeNotActionable, "%q is not shown", in.Selector).WithHint(daemon.HintSnapshot)
	case isTimeout(err):
		return verbs.ScreenshotOut{}, wire.Errorf(wire.CodeWedged, "the page drew no picture within %v", limit).WithHint("abrowser status")
	case err != nil:
		return verbs.ScreenshotOut{}, codeError(err)
	}
	return out, nil
}

// takePicture takes a picture of the page by picture.js of launcher/driver. If picture.js
// cannot take it, Playwright does.
func (c *pageCall) takePicture(full bool, kind *playwright.ScreenshotType, limit time.Duration, out *verbs.ScreenshotOut) error {
	given, err := c.page.cdp.Send("Abrowser.picture", map[string]any{
		"target": c.page.target, "type": string(*kind), "full": full, "files": out.Path != "", "limit": milliseconds(limit),
	})
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
		FullPage: &full, Type: kind, Timeout: playwright.Float(milliseconds(limit)), Caret: playwright.ScreenshotCaretInitial,
	})
	return err
}

const (
	firstNudge = 150 * time.Millisecond
	laterNudge = 500 * time.Millisecond
)

// nudgeWhile calls take(), which takes a picture. In a background tab the browser does not take the
// picture of an element until it draws the page again. A further picture makes it draw the page, so
// nudgeWhile takes small pictures until take() returns. The browser takes pictures one after the
// other. So that take() does not wait for many small pictures, nudgeWhile requests the next one
// only when the last one was taken, or is late.
func nudgeWhile(p *page, take func() error) error {
	over := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		timer := time.NewTimer(firstNudge)
		defer timer.Stop()
		for {
			select {
			case <-over:
				return
			case <-timer.C:
			}
			drawn := make(chan struct{})
			p.conn.spawn(func() {
				defer close(drawn)
				// Even with an error, the page has been drawn.
				_, _ = p.cdp.Send("Page.captureScreenshot", map[string]any{"format": "jpeg", "quality": 1})
			})
			select {
			case <-over:
				return
			case <-drawn:
			case <-time.After(laterNudge * 4): // the page was not drawn: try again
			}
			timer.Reset(laterNudge)
		}
	})
	err := take()
	close(over)
	work.Wait()
	return err
}

func imageType(file string) (*playwright.ScreenshotType, error) {
	switch ext := strings.ToLower(path.Ext(file)); ext {
	case ".jpg", ".jpeg":
		return playwright.ScreenshotTypeJpeg, nil
	case ".png", "":
		return playwright.ScreenshotTypePng, nil
	case ".webp", ".gif", ".bmp", ".pdf":
		return nil, wire.Errorf(wire.CodeBadInput, "%s files cannot be written; .png and .jpg can", ext).WithHint("abrowser screenshot page.png")
	default:
		return playwright.ScreenshotTypePng, nil
	}
}
