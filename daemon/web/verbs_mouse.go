package web

import (
	"cmp"
	"context"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
)

func (c devices) mouseMove(ctx context.Context, in verbs.MouseMoveIn) (verbs.MouseMoveOut, error) {
	effects, err := c.input(ctx, action{name: "mouse move", verb: "move", params: map[string]any{"x": in.X, "y": in.Y, "steps": max(1, in.Steps)}})
	return verbs.MouseMoveOut{Moved: true, X: in.X, Y: in.Y, Effects: effects}, err
}

func (c devices) mouseDown(ctx context.Context, in verbs.MouseButtonIn) (verbs.MouseDownOut, error) {
	effects, err := c.mouseButton(ctx, "mouse down", in, false)
	return verbs.MouseDownOut{Pressed: true, Effects: effects}, err
}

func (c devices) mouseUp(ctx context.Context, in verbs.MouseButtonIn) (verbs.MouseUpOut, error) {
	effects, err := c.mouseButton(ctx, "mouse up", in, true)
	return verbs.MouseUpOut{Released: true, Effects: effects}, err
}

func (c devices) mouseButton(ctx context.Context, name string, in verbs.MouseButtonIn, released bool) (verbs.Effects, error) {
	button := cmp.Or(in.Button, "left")
	effects, err := c.input(ctx, action{name: name, verb: "button", params: map[string]any{"button": button, "released": released}})
	if err == nil {
		c.page.hold("button "+button, !released)
	}
	return effects, err
}

func (c devices) mouseWheel(ctx context.Context, in verbs.MouseWheelIn) (verbs.MouseWheelOut, error) {
	effects, err := c.input(ctx, action{name: "mouse wheel", verb: "wheel", params: map[string]any{"x": in.Right, "y": in.Down}})
	return verbs.MouseWheelOut{Scrolled: true, Right: in.Right, Down: in.Down, Effects: effects}, err
}

func (c devices) tap(ctx context.Context, in verbs.ElementIn) (verbs.TapOut, error) {
	effects, err := c.performOn(ctx, in.Selector, action{name: "tap", verb: "tap"})
	return verbs.TapOut{Tapped: in.Selector, Effects: effects}, err
}

// highlight marks an element by Playwright's overlay.
func (c devices) highlight(ctx context.Context, in verbs.ElementIn) (verbs.HighlightOut, error) {
	at, err := c.findOne(ctx, in.Selector)
	if err != nil {
		return verbs.HighlightOut{}, err
	}
	err = c.peek(daemon.TimeLeft(ctx, actionTime), func() error { return at.Highlight() })
	return verbs.HighlightOut{Highlighted: in.Selector}, codeError(err)
}

func (c *pageCall) drag(ctx context.Context, in verbs.DragIn) (verbs.DragOut, error) {
	source, err := c.aim(in.Source)
	if err != nil {
		return verbs.DragOut{}, err
	}
	to, err := c.aim(in.Target)
	if err != nil {
		return verbs.DragOut{}, err
	}
	params := map[string]any{"to": to.query}
	if to.began != 0 {
		params["toBegan"] = to.began
	}
	if _, err := c.performInDriver(ctx, source, action{name: "drag", verb: "drag", params: params, second: &to}); err != nil {
		return verbs.DragOut{}, err
	}
	return verbs.DragOut{Dragged: true, Source: in.Source, Target: in.Target, Effects: c.effects(ctx)}, nil
}

func checkTarget(in verbs.DragIn) error {
	_, err := parseSelector(in.Target)
	return err
}
