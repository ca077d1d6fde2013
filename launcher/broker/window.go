package broker

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/abrowser/abrowser/launcher/handover"
)

const fitTime = 5 * time.Second

// ask sends the browser a call of our own and decodes its result into out, which
// may be nil.
func (b *broker) ask(ctx context.Context, method string, params any, session string, out any) error {
	type answer struct {
		raw json.RawMessage
		err error
	}
	got := make(chan answer, 1)
	err := b.do(ctx, func() {
		b.mux.Call(method, params, session, func(raw json.RawMessage, err error) { got <- answer{raw, err} })
	})
	if err != nil {
		return err
	}
	select {
	case a := <-got:
		if a.err != nil || out == nil {
			return a.err
		}
		return json.Unmarshal(a.raw, out)
	case <-b.over:
		return errors.New("the browser is gone")
	case <-ctx.Done():
		return ctx.Err()
	}
}

type (
	sessionID struct {
		SessionID string `json:"sessionId"`
	}
	targetID struct {
		TargetID string `json:"targetId"`
	}
	bounds struct {
		Width  int `json:"width,omitzero"`
		Height int `json:"height,omitzero"`
	}
	windowBounds struct {
		WindowID int    `json:"windowId"`
		Bounds   bounds `json:"bounds"`
	}
)

// fitWindow gives the window the size at which the page in it has 1280x720, so
// that no page needs emulation for it. New tabs take the window's size.
func (b *broker) fitWindow(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, fitTime)
	defer cancel()
	var list struct {
		Infos []struct{ TargetID, Type string } `json:"targetInfos"`
	}
	if err := b.ask(ctx, "Target.getTargets", struct{}{}, "", &list); err != nil {
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
		return errors.New("the browser came up without a page")
	}
	// On a session of its own: the mux attaches to pages on the root.
	var own, on sessionID
	if err := b.ask(ctx, "Target.attachToBrowserTarget", struct{}{}, "", &own); err != nil {
		return err
	}
	defer func() { _ = b.ask(ctx, "Target.detachFromTarget", own, "", nil) }() // it does no harm where it stays
	err := b.ask(ctx, "Target.attachToTarget", struct {
		targetID
		Flatten bool `json:"flatten"`
	}{page, true}, own.SessionID, &on)
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

func (b *broker) fitOnce(ctx context.Context, page targetID, own, on string) (fits bool, err error) {
	var size struct{ Result struct{ Value [2]int } }
	err = b.ask(ctx, "Runtime.evaluate", map[string]any{"expression": "[innerWidth, innerHeight]", "returnByValue": true}, on, &size)
	if err != nil {
		return false, err
	}
	wide, high := handover.InsideWidth-size.Result.Value[0], handover.InsideHeight-size.Result.Value[1]
	if wide == 0 && high == 0 {
		return true, nil
	}
	var window windowBounds
	if err := b.ask(ctx, "Browser.getWindowForTarget", page, own, &window); err != nil {
		return false, err
	}
	b.log.Info("sizing the window", "inside", size.Result.Value, "window", window.Bounds)
	window.Bounds = bounds{Width: window.Bounds.Width + wide, Height: window.Bounds.Height + high}
	if err := b.ask(ctx, "Browser.setWindowBounds", window, own, nil); err != nil {
		return false, err
	}
	// The page learns its new size by the next frame.
	return false, b.ask(ctx, "Runtime.evaluate", map[string]any{
		"expression":   "new Promise(f => { addEventListener('resize', f, {once: true}); setTimeout(f, 300) })",
		"awaitPromise": true,
	}, on, nil)
}
