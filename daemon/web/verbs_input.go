package web

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// performOn performs an action on the element that the selector given matches, on the active page.
func (c *call) performOn(ctx context.Context, given string, timeout int, a action) (verbs.Effects, error) {
	if _, err := parseSelector(given); err != nil {
		return verbs.Effects{}, err
	}
	ctx, cancel, err := c.Limit(ctx, timeout, actionTime)
	if err != nil {
		return verbs.Effects{}, err
	}
	defer cancel()
	p, err := c.currentPage(ctx)
	if err != nil {
		return verbs.Effects{}, err
	}
	at, err := c.aim(p, given)
	if err != nil {
		return verbs.Effects{}, err
	}
	done, err := c.perform(ctx, p, at, a)
	if err != nil {
		return verbs.Effects{}, err
	}
	if done.saves && a.params["button"] != "right" {
		c.downloads.awaitStart(ctx)
	}
	effects := c.effects(ctx)
	if done.unchanged {
		return effects, wire.Errorf(wire.CodeNotActionable, "%q was clicked and did not change", given).WithHint(daemon.HintSnapshot)
	}
	return effects, nil
}

func (c *call) click(ctx context.Context, in verbs.ClickIn) (verbs.ClickOut, error) {
	if in.NewTab {
		return c.clickNewTab(ctx, in)
	}
	button := cmp.Or(in.Button, "left")
	a := clicking(button, 1)
	if len(in.Modifiers) > 0 {
		a.params["modifiers"], a.fast = in.Modifiers, nil
	}
	effects, err := c.performOn(ctx, in.Selector, in.Timeout, a)
	return verbs.ClickOut{Clicked: in.Selector, Effects: effects}, err
}

// clicking returns the action of count clicks in a row.
func clicking(button string, count int) action {
	return action{
		name: "click", verb: "click", params: map[string]any{"button": button, "count": count},
		fast: &fastAction{verb: "click", button: button, count: count},
	}
}

func (c *call) dblclick(ctx context.Context, in verbs.ElementIn) (verbs.DblclickOut, error) {
	a := clicking("left", 2)
	a.name = "double click"
	effects, err := c.performOn(ctx, in.Selector, in.Timeout, a)
	return verbs.DblclickOut{Clicked: in.Selector, Effects: effects}, err
}

func (c *call) fill(ctx context.Context, in verbs.FillIn) (verbs.FillOut, error) {
	effects, err := c.performOn(ctx, in.Selector, in.Timeout, filling(in.Text))
	return verbs.FillOut{Filled: in.Selector, Effects: effects}, err
}

func filling(text string) action {
	return action{name: "fill", verb: "fill", params: map[string]any{"text": text}, fast: &fastAction{verb: "fill", text: text}}
}

func (c *call) hover(ctx context.Context, in verbs.ElementIn) (verbs.HoverOut, error) {
	effects, err := c.performOn(ctx, in.Selector, in.Timeout, action{name: "hover", verb: "hover"})
	return verbs.HoverOut{Hovered: in.Selector, Effects: effects}, err
}

func (c *call) focus(ctx context.Context, in verbs.ElementIn) (verbs.FocusOut, error) {
	effects, err := c.performOn(ctx, in.Selector, in.Timeout, action{name: "focus", verb: "focus"})
	return verbs.FocusOut{Focused: in.Selector, Effects: effects}, err
}

func (c *call) check(ctx context.Context, in verbs.ElementIn) (verbs.CheckOut, error) {
	effects, err := c.performOn(ctx, in.Selector, in.Timeout, checking("check", true))
	return verbs.CheckOut{Checked: in.Selector, Effects: effects}, err
}

func (c *call) uncheck(ctx context.Context, in verbs.ElementIn) (verbs.UncheckOut, error) {
	effects, err := c.performOn(ctx, in.Selector, in.Timeout, checking("uncheck", false))
	return verbs.UncheckOut{Unchecked: in.Selector, Effects: effects}, err
}

func checking(name string, checked bool) action {
	return action{name: name, verb: "check", params: map[string]any{"checked": checked}}
}

func (c *call) press(ctx context.Context, in verbs.PressIn) (verbs.PressOut, error) {
	ctx, cancel, err := c.Limit(ctx, in.Timeout, actionTime)
	if err != nil {
		return verbs.PressOut{}, err
	}
	defer cancel()
	p, err := c.currentPage(ctx)
	if err != nil {
		return verbs.PressOut{}, err
	}
	_, err = c.performInDriver(ctx, p, target{}, action{name: "press", verb: "press", params: map[string]any{"key": in.Key}})
	if err != nil && strings.Contains(err.Error(), "Unknown key") {
		return verbs.PressOut{}, wire.Errorf(wire.CodeBadInput, "%q is no key", in.Key).WithHint("abrowser press Control+a")
	}
	if err != nil {
		return verbs.PressOut{}, err
	}
	return verbs.PressOut{Pressed: in.Key, Effects: c.effects(ctx)}, nil
}

func (c *call) scroll(ctx context.Context, in verbs.ScrollIn) (verbs.ScrollOut, error) {
	if in.Selector != "" {
		if _, err := parseSelector(in.Selector); err != nil {
			return verbs.ScrollOut{}, err
		}
	}
	ctx, cancel, err := c.Limit(ctx, in.Timeout, actionTime)
	if err != nil {
		return verbs.ScrollOut{}, err
	}
	defer cancel()
	p, err := c.currentPage(ctx)
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
		if at, err = c.aim(p, in.Selector); err != nil {
			return verbs.ScrollOut{}, err
		}
	}
	by := map[string]any{"left": x, "top": y, "behavior": "instant"}
	if _, err := c.performInDriver(ctx, p, at, action{name: "scroll", verb: "scroll", params: map[string]any{"by": by}}); err != nil {
		return verbs.ScrollOut{}, err
	}
	return verbs.ScrollOut{Scrolled: true, Effects: c.effects(ctx)}, nil
}

// keyTime is how many milliseconds one key may take on a slow machine.
const keyTime = 250

func (c *call) typeText(ctx context.Context, in verbs.TypeIn) (verbs.TypeOut, error) {
	if _, err := parseSelector(in.Selector); err != nil {
		return verbs.TypeOut{}, err
	}
	typing := ackTime + time.Duration((in.Delay+keyTime)*len(in.Text))*time.Millisecond
	if at, ok := ctx.Deadline(); ok { // the answer must come before the caller's deadline
		waiting := cmp.Or(time.Duration(in.Timeout)*time.Millisecond, actionTime)
		typing = max(ackTime, min(typing, time.Until(at)-waiting-time.Second))
	}
	ctx, cancel, err := c.Limit(ctx, in.Timeout, actionTime+time.Duration(in.Delay*len(in.Text))*time.Millisecond)
	if err != nil {
		return verbs.TypeOut{}, err
	}
	defer cancel()
	p, err := c.currentPage(ctx)
	if err != nil {
		return verbs.TypeOut{}, err
	}
	at, err := c.aim(p, in.Selector)
	if err != nil {
		return verbs.TypeOut{}, err
	}
	if in.Clear {
		if _, err := c.perform(ctx, p, at, filling("")); err != nil {
			return verbs.TypeOut{}, err
		}
		c.Begun = true
	}
	_, err = c.perform(ctx, p, at, action{
		name: "type", verb: "type", params: map[string]any{"text": in.Text, "delay": in.Delay}, ack: typing,
	})
	if err != nil && in.Clear && !errors.Is(err, wire.CodeResultUnknown) {
		err = wire.Errorf(wire.CodeResultUnknown, "the field was cleared, and nothing typed: %s", wire.AsError(err).Message).WithHint(daemon.HintSnapshot)
	}
	if err != nil {
		return verbs.TypeOut{}, err
	}
	return verbs.TypeOut{Typed: in.Text, Effects: c.effects(ctx)}, nil
}
