package web

import (
	"cmp"
	"context"
	"strings"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// devices are the keyboard and the mouse of a page. Their commands need no element.
type devices struct{ *pageCall }

// onDevices returns the handler of a verb of the keyboard or the mouse.
func onDevices[In, Out any](p *pages, v wire.Verb[In, Out], serve func(devices, context.Context, In) (Out, error)) daemon.Handler {
	return onPage(p, v, actionTime, nil, func(c *pageCall, ctx context.Context, in In) (Out, error) { return serve(devices{c}, ctx, in) })
}

// input performs an action that needs no element, and returns its effects.
func (c devices) input(ctx context.Context, a action) (verbs.Effects, error) {
	if _, err := c.performInDriver(ctx, target{}, a); err != nil {
		return verbs.Effects{}, err
	}
	return c.effects(ctx), nil
}

// keyError returns err, the error of an action that uses the given key. If the key does not exist,
// it returns an error that names the key instead.
func keyError(key string, err error) error {
	if err != nil && strings.Contains(err.Error(), "Unknown key") {
		return wire.Errorf(wire.CodeBadInput, "unknown key %q", key).WithHint("abrowser press Control+a")
	}
	return err
}

func (c devices) press(ctx context.Context, in verbs.PressIn) (verbs.PressOut, error) {
	effects, err := c.input(ctx, action{name: "press", verb: "press", params: map[string]any{"key": in.Key}})
	return verbs.PressOut{Pressed: in.Key, Effects: effects}, keyError(in.Key, err)
}

func (c devices) keydown(ctx context.Context, in verbs.KeyIn) (verbs.KeydownOut, error) {
	effects, err := c.input(ctx, action{name: "keydown", verb: "key", params: map[string]any{"key": in.Key}})
	if err == nil {
		c.page.hold("key "+in.Key, true)
	}
	return verbs.KeydownOut{Pressed: in.Key, Effects: effects}, keyError(in.Key, err)
}

func (c devices) keyup(ctx context.Context, in verbs.KeyIn) (verbs.KeyupOut, error) {
	effects, err := c.input(ctx, action{name: "keyup", verb: "key", params: map[string]any{"key": in.Key, "released": true}})
	if err == nil {
		c.page.hold("key "+in.Key, false)
	}
	return verbs.KeyupOut{Released: in.Key, Effects: effects}, keyError(in.Key, err)
}

func (c *call) keyboardType(ctx context.Context, in verbs.KeyboardTypeIn) (verbs.TypeOut, error) {
	p, typing, ctx, cancel, err := c.forTyping(ctx, in.Text, in.Delay, in.TimeoutIn)
	if err != nil {
		return verbs.TypeOut{}, err
	}
	defer cancel()
	effects, err := devices{c.on(p)}.input(ctx, typing)
	return verbs.TypeOut{Typed: in.Text, Effects: effects}, err
}

func (c devices) keyboardInsert(ctx context.Context, in verbs.InsertTextIn) (verbs.InsertTextOut, error) {
	effects, err := c.input(ctx, action{name: "inserttext", verb: "insert", params: map[string]any{"text": in.Text}})
	if err != nil && strings.Contains(err.Error(), "takes text has the focus") {
		err = wire.Errorf(wire.CodeNotActionable, "no element that takes text has the focus").WithHint(daemon.HintSnapshot)
	}
	return verbs.InsertTextOut{Inserted: err == nil, Effects: effects}, err
}

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
