package broker

import (
	"context"
	"errors"
	"time"

	"github.com/abrowser/abrowser/launcher/handover"
)

const fitTime = 5 * time.Second

type (
	sessionID struct {
		SessionID string `json:"sessionId"`
	}
	targetID struct {
		TargetID string `json:"targetId"`
	}
)

// fitWindow gives the window the size at which its page has 1280x720 pixels, so that no page
// needs emulation for that size. New tabs take the window's size.
func (b *broker) fitWindow(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, fitTime)
	defer cancel()
	var list struct {
		Infos []struct{ TargetID, Type string } `json:"targetInfos"`
	}
	if err := b.callRoot(ctx, "Target.getTargets", struct{}{}, &list); err != nil {
		return err
	}
	page := targetID{}
	for _, info := range list.Infos {
		if info.Type == "page" {
			page.TargetID = info.TargetID
			break
		}
	}
	if page.TargetID == "" {
		return errors.New("the browser has started without a page")
	}
	// fitWindow creates its own CDP session on the browser target, and attaches to the page through
	// this session. The mux does not use this session, so fitWindow does not interfere with the
	// mux.
	var own, on sessionID
	if err := b.callRoot(ctx, "Target.attachToBrowserTarget", struct{}{}, &own); err != nil {
		return err
	}
	defer func() { _ = b.callRoot(ctx, "Target.detachFromTarget", own, nil) }() // if this fails, no harm is done
	err := b.call(ctx, own.SessionID, "Target.attachToTarget", struct {
		targetID
		Flatten bool `json:"flatten"`
	}{page, true}, &on)
	if err != nil {
		return err
	}
	const tries = 3
	for range tries {
		fits, err := b.fitOnce(ctx, page, own.SessionID, on.SessionID)
		if err != nil || fits {
			return err
		}
	}
	return nil
}

// fitOnce changes the window's size by the difference between the wanted size of the page and its
// actual size. It reports whether the page already had the wanted size.
func (b *broker) fitOnce(ctx context.Context, page targetID, own, on string) (fits bool, err error) {
	var size struct{ Result struct{ Value [2]int } }
	err = b.call(ctx, on, "Runtime.evaluate", map[string]any{"expression": "[innerWidth, innerHeight]", "returnByValue": true}, &size)
	if err != nil {
		return false, err
	}
	width, height := handover.InsideWidth-size.Result.Value[0], handover.InsideHeight-size.Result.Value[1]
	if width == 0 && height == 0 {
		return true, nil
	}
	var window struct {
		WindowID int
		Bounds   struct{ Width, Height int }
	}
	if err := b.call(ctx, own, "Browser.getWindowForTarget", page, &window); err != nil {
		return false, err
	}
	b.log.Info("sizing the window", "inside", size.Result.Value, "window", window.Bounds)
	err = b.call(ctx, own, "Browser.setWindowBounds", map[string]any{
		"windowId": window.WindowID, "bounds": map[string]int{"width": window.Bounds.Width + width, "height": window.Bounds.Height + height},
	}, nil)
	if err != nil {
		return false, err
	}
	// The page gets its new size with the next frame.
	return false, b.call(ctx, on, "Runtime.evaluate", map[string]any{
		"expression":   "new Promise(f => { addEventListener('resize', f, {once: true}); setTimeout(f, 300) })",
		"awaitPromise": true,
	}, nil)
}
