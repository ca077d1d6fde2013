package daemon

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// on performs an action on the element that the selector given matches, on the active page.
func (t *turn) on(ctx context.Context, given string, timeout int, a action) (verbs.Effects, error) {
	if _, err := parseSelector(given); err != nil {
		return verbs.Effects{}, err
	}
	ctx, cancel, err := t.within(ctx, timeout, actionTime)
	if err != nil {
		return verbs.Effects{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return verbs.Effects{}, err
	}
	at, err := t.aim(p, given)
	if err != nil {
		return verbs.Effects{}, err
	}
	done, err := t.act(ctx, p, at, a)
	if err != nil {
		return verbs.Effects{}, err
	}
	if done.saves && a.params["button"] != "right" {
		t.awaitBegin(ctx)
	}
	effects := t.effects(ctx)
	if done.unchanged {
		return effects, wire.Errorf(wire.CodeNotActionable, "%q was clicked and did not change", given).WithHint(hintSnapshot)
	}
	return effects, nil
}

func (t *turn) click(ctx context.Context, in verbs.ClickIn) (verbs.ClickOut, error) {
	if in.NewTab {
		return t.clickNewTab(ctx, in)
	}
	button := cmp.Or(in.Button, "left")
	a := clicking(button, 1)
	if len(in.Modifiers) > 0 {
		a.params["modifiers"], a.quick = in.Modifiers, nil
	}
	effects, err := t.on(ctx, in.Selector, in.Timeout, a)
	return verbs.ClickOut{Clicked: in.Selector, Effects: effects}, err
}

// clicking returns the action of count clicks in a row.
func clicking(button string, count int) action {
	return action{
		name: "click", verb: "click", params: map[string]any{"button": button, "count": count},
		quick: &quick{verb: "click", button: button, count: count},
	}
}

func (t *turn) dblclick(ctx context.Context, in verbs.ElementIn) (verbs.DblclickOut, error) {
	a := clicking("left", 2)
	a.name = "double click"
	effects, err := t.on(ctx, in.Selector, in.Timeout, a)
	return verbs.DblclickOut{Clicked: in.Selector, Effects: effects}, err
}

func (t *turn) fill(ctx context.Context, in verbs.FillIn) (verbs.FillOut, error) {
	effects, err := t.on(ctx, in.Selector, in.Timeout, filling(in.Text))
	return verbs.FillOut{Filled: in.Selector, Effects: effects}, err
}

func filling(text string) action {
	return action{name: "fill", verb: "fill", params: map[string]any{"text": text}, quick: &quick{verb: "fill", text: text}}
}

func (t *turn) hover(ctx context.Context, in verbs.ElementIn) (verbs.HoverOut, error) {
	effects, err := t.on(ctx, in.Selector, in.Timeout, action{name: "hover", verb: "hover"})
	return verbs.HoverOut{Hovered: in.Selector, Effects: effects}, err
}

func (t *turn) focus(ctx context.Context, in verbs.ElementIn) (verbs.FocusOut, error) {
	effects, err := t.on(ctx, in.Selector, in.Timeout, action{name: "focus", verb: "focus"})
	return verbs.FocusOut{Focused: in.Selector, Effects: effects}, err
}

func (t *turn) check(ctx context.Context, in verbs.ElementIn) (verbs.CheckOut, error) {
	effects, err := t.on(ctx, in.Selector, in.Timeout, checking("check", true))
	return verbs.CheckOut{Checked: in.Selector, Effects: effects}, err
}

func (t *turn) uncheck(ctx context.Context, in verbs.ElementIn) (verbs.UncheckOut, error) {
	effects, err := t.on(ctx, in.Selector, in.Timeout, checking("uncheck", false))
	return verbs.UncheckOut{Unchecked: in.Selector, Effects: effects}, err
}

func checking(name string, checked bool) action {
	return action{name: name, verb: "check", params: map[string]any{"checked": checked}}
}

func (t *turn) press(ctx context.Context, in verbs.PressIn) (verbs.PressOut, error) {
	ctx, cancel, err := t.within(ctx, in.Timeout, actionTime)
	if err != nil {
		return verbs.PressOut{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return verbs.PressOut{}, err
	}
	_, err = t.perform(ctx, p, target{}, action{name: "press", verb: "press", params: map[string]any{"key": in.Key}})
	if err != nil && strings.Contains(err.Error(), "Unknown key") {
		return verbs.PressOut{}, wire.Errorf(wire.CodeBadInput, "%q is no key", in.Key).WithHint("abrowser press Control+a")
	}
	if err != nil {
		return verbs.PressOut{}, err
	}
	return verbs.PressOut{Pressed: in.Key, Effects: t.effects(ctx)}, nil
}

func (t *turn) scroll(ctx context.Context, in verbs.ScrollIn) (verbs.ScrollOut, error) {
	if in.Selector != "" {
		if _, err := parseSelector(in.Selector); err != nil {
			return verbs.ScrollOut{}, err
		}
	}
	ctx, cancel, err := t.within(ctx, in.Timeout, actionTime)
	if err != nil {
		return verbs.ScrollOut{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return verbs.ScrollOut{}, err
	}
	x, y := 0, 0
	switch in.Direction {
	case "up":
		y = -in.Amount
	case "left":
		x = -in.Amount
	case "right":
		x = in.Amount
	default:
		y = in.Amount
	}
	var at target // empty: the page itself
	if in.Selector != "" {
		if at, err = t.aim(p, in.Selector); err != nil {
			return verbs.ScrollOut{}, err
		}
	}
	by := map[string]any{"left": x, "top": y, "behavior": "instant"}
	if _, err := t.perform(ctx, p, at, action{name: "scroll", verb: "scroll", params: map[string]any{"by": by}}); err != nil {
		return verbs.ScrollOut{}, err
	}
	return verbs.ScrollOut{Scrolled: true, Effects: t.effects(ctx)}, nil
}

// keyTime is how many milliseconds one key may take on a slow machine.
const keyTime = 250

func (t *turn) typeText(ctx context.Context, in verbs.TypeIn) (verbs.TypeOut, error) {
	if _, err := parseSelector(in.Selector); err != nil {
		return verbs.TypeOut{}, err
	}
	typing := ackTime + time.Duration((in.Delay+keyTime)*len(in.Text))*time.Millisecond
	if at, ok := ctx.Deadline(); ok { // the answer must come before the caller's deadline
		waiting := cmp.Or(time.Duration(in.Timeout)*time.Millisecond, actionTime)
		typing = max(ackTime, min(typing, time.Until(at)-waiting-time.Second))
	}
	ctx, cancel, err := t.within(ctx, in.Timeout, actionTime+time.Duration(in.Delay*len(in.Text))*time.Millisecond)
	if err != nil {
		return verbs.TypeOut{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return verbs.TypeOut{}, err
	}
	at, err := t.aim(p, in.Selector)
	if err != nil {
		return verbs.TypeOut{}, err
	}
	if in.Clear {
		if _, err := t.act(ctx, p, at, filling("")); err != nil {
			return verbs.TypeOut{}, err
		}
		t.begun = true
	}
	_, err = t.act(ctx, p, at, action{
		name: "type", verb: "type", params: map[string]any{"text": in.Text, "delay": in.Delay}, ack: typing,
	})
	if err != nil && in.Clear && !errors.Is(err, wire.CodeResultUnknown) {
		err = wire.Errorf(wire.CodeResultUnknown, "the field was cleared, and nothing typed: %s", wire.AsError(err).Message).WithHint(hintSnapshot)
	}
	if err != nil {
		return verbs.TypeOut{}, err
	}
	return verbs.TypeOut{Typed: in.Text, Effects: t.effects(ctx)}, nil
}
