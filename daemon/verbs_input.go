package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/wire"
)

// on performs an action on the element that given names, on the session's page.
func (t *turn) on(ctx context.Context, given string, timeout int, make func(target) action) (wire.Effects, error) {
	if _, err := parseSelector(given); err != nil {
		return wire.Effects{}, err
	}
	ctx, cancel, err := t.within(ctx, timeout, actionTime)
	if err != nil {
		return wire.Effects{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return wire.Effects{}, err
	}
	at, err := t.target(ctx, p, given)
	if err != nil {
		return wire.Effects{}, err
	}
	a := make(at)
	if err := t.act(ctx, p, at, a); err != nil {
		return wire.Effects{}, err
	}
	if a.then != nil {
		a.then(ctx)
	}
	return t.effects(ctx), nil
}

func (t *turn) click(ctx context.Context, in wire.ClickIn) (wire.ClickOut, error) {
	if in.NewTab {
		return t.clickNewTab(ctx, in)
	}
	effects, err := t.on(ctx, in.Selector, in.Timeout, func(at target) action {
		saves := false
		quickly := &quick{verb: "click", button: in.Button, count: 1, saves: &saves}
		if len(in.Modifiers) > 0 {
			quickly = nil
		}
		return action{name: "click", trial: true, quick: quickly, do: func(limit *float64, trial *bool) error {
			if !*trial {
				saves = isSaveLink(at.find)
			}
			return at.find.Click(playwright.LocatorClickOptions{
				Button: button(in.Button), Modifiers: modifiers(in.Modifiers), Timeout: limit, Trial: trial,
			})
		}, then: func(ctx context.Context) {
			if saves && in.Button != "right" {
				t.awaitBegin(ctx)
			}
		}}
	})
	return wire.ClickOut{Clicked: in.Selector, Effects: effects}, err
}

func button(name string) *playwright.MouseButton {
	switch name {
	case "right":
		return playwright.MouseButtonRight
	case "middle":
		return playwright.MouseButtonMiddle
	}
	return playwright.MouseButtonLeft
}

func modifiers(names []string) []playwright.KeyboardModifier {
	var all []playwright.KeyboardModifier
	for _, name := range names {
		all = append(all, playwright.KeyboardModifier(name))
	}
	return all
}

func (t *turn) dblclick(ctx context.Context, in wire.ElementIn) (wire.DblclickOut, error) {
	effects, err := t.on(ctx, in.Selector, in.Timeout, func(at target) action {
		// playwright-go 0.6000's own Dblclick takes no options: it fails on a field.
		return action{name: "click", trial: true, quick: &quick{verb: "click", count: 2}, do: func(limit *float64, trial *bool) error {
			return at.find.Click(playwright.LocatorClickOptions{ClickCount: playwright.Int(2), Timeout: limit, Trial: trial})
		}}
	})
	return wire.DblclickOut{Clicked: in.Selector, Effects: effects}, err
}

func (t *turn) fill(ctx context.Context, in wire.FillIn) (wire.FillOut, error) {
	effects, err := t.on(ctx, in.Selector, in.Timeout, func(at target) action { return filling(at, in.Text) })
	return wire.FillOut{Filled: in.Selector, Effects: effects}, err
}

func filling(at target, text string) action {
	return action{name: "fill", quick: &quick{verb: "fill", text: text}, do: func(limit *float64, _ *bool) error {
		return at.find.Fill(text, playwright.LocatorFillOptions{Timeout: limit})
	}}
}

func focusing(at target) action {
	return action{name: "focus", attached: true, do: func(limit *float64, _ *bool) error {
		return at.find.Focus(playwright.LocatorFocusOptions{Timeout: limit})
	}}
}

func (t *turn) hover(ctx context.Context, in wire.ElementIn) (wire.HoverOut, error) {
	effects, err := t.on(ctx, in.Selector, in.Timeout, func(at target) action {
		return action{name: "hover", trial: true, do: func(limit *float64, trial *bool) error {
			return at.find.Hover(playwright.LocatorHoverOptions{Timeout: limit, Trial: trial})
		}}
	})
	return wire.HoverOut{Hovered: in.Selector, Effects: effects}, err
}

func (t *turn) focus(ctx context.Context, in wire.ElementIn) (wire.FocusOut, error) {
	effects, err := t.on(ctx, in.Selector, in.Timeout, focusing)
	return wire.FocusOut{Focused: in.Selector, Effects: effects}, err
}

func (t *turn) check(ctx context.Context, in wire.ElementIn) (wire.CheckOut, error) {
	effects, err := t.on(ctx, in.Selector, in.Timeout, func(at target) action {
		return action{name: "click", trial: true, do: func(limit *float64, trial *bool) error {
			return at.find.Check(playwright.LocatorCheckOptions{Timeout: limit, Trial: trial})
		}}
	})
	return wire.CheckOut{Checked: in.Selector, Effects: effects}, err
}

func (t *turn) uncheck(ctx context.Context, in wire.ElementIn) (wire.UncheckOut, error) {
	effects, err := t.on(ctx, in.Selector, in.Timeout, func(at target) action {
		return action{name: "click", trial: true, do: func(limit *float64, trial *bool) error {
			return at.find.Uncheck(playwright.LocatorUncheckOptions{Timeout: limit, Trial: trial})
		}}
	})
	return wire.UncheckOut{Unchecked: in.Selector, Effects: effects}, err
}

func (t *turn) press(ctx context.Context, in wire.PressIn) (wire.PressOut, error) {
	ctx, cancel, err := t.within(ctx, in.Timeout, actionTime)
	if err != nil {
		return wire.PressOut{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return wire.PressOut{}, err
	}
	if err := ctx.Err(); err != nil {
		return wire.PressOut{}, ended(ctx)
	}
	err = t.watch(slice(ctx, actionTime), func() error { return p.Keyboard().Press(in.Key) })
	switch {
	case err != nil && strings.Contains(err.Error(), "Unknown key"):
		return wire.PressOut{}, wire.Errorf(wire.CodeBadInput, "%q is no key", in.Key).WithHint("abrowser press Control+a")
	case isGone(err) && !neverSent(err):
		return wire.PressOut{}, unknownError(action{name: "press"})
	case err != nil:
		return wire.PressOut{}, coded(err)
	}
	return wire.PressOut{Pressed: in.Key, Effects: t.effects(ctx)}, nil
}

func (t *turn) scroll(ctx context.Context, in wire.ScrollIn) (wire.ScrollOut, error) {
	if in.Selector != "" {
		if _, err := parseSelector(in.Selector); err != nil {
			return wire.ScrollOut{}, err
		}
	}
	ctx, cancel, err := t.within(ctx, in.Timeout, actionTime)
	if err != nil {
		return wire.ScrollOut{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return wire.ScrollOut{}, err
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
	by := map[string]any{"left": x, "top": y, "behavior": "instant"}
	if in.Selector == "" {
		err = t.watch(slice(ctx, quickTime), func() error {
			_, err := p.Evaluate("by => window.scrollBy(by)", by)
			return err
		})
	} else {
		var at target
		if at, err = t.target(ctx, p, in.Selector); err != nil {
			return wire.ScrollOut{}, err
		}
		err = t.act(ctx, p, at, action{name: "scroll", do: func(limit *float64, _ *bool) error {
			_, err := at.find.Evaluate("(e, by) => e.scrollBy(by)", by, playwright.LocatorEvaluateOptions{Timeout: limit})
			return err
		}})
	}
	if isGone(err) && !neverSent(err) && !errors.Is(err, wire.CodeBrowserGone) {
		return wire.ScrollOut{}, unknownError(action{name: "scroll"})
	}
	if err != nil {
		return wire.ScrollOut{}, coded(err)
	}
	return wire.ScrollOut{Scrolled: true, Effects: t.effects(ctx)}, nil
}

// typeChunk is how many keys are pressed in one call, which cannot be cancelled.
const typeChunk = 16

func (t *turn) typeText(ctx context.Context, in wire.TypeIn) (wire.TypeOut, error) {
	if _, err := parseSelector(in.Selector); err != nil {
		return wire.TypeOut{}, err
	}
	ctx, cancel, err := t.within(ctx, in.Timeout, actionTime+time.Duration(in.Delay*len(in.Text))*time.Millisecond)
	if err != nil {
		return wire.TypeOut{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return wire.TypeOut{}, err
	}
	at, err := t.target(ctx, p, in.Selector)
	if err != nil {
		return wire.TypeOut{}, err
	}
	if in.Clear {
		if err := t.act(ctx, p, at, filling(at, "")); err != nil {
			return wire.TypeOut{}, err
		}
	}
	if err := t.act(ctx, p, at, focusing(at)); err != nil {
		return wire.TypeOut{}, err
	}
	if err := t.keys(ctx, p, in); err != nil {
		return wire.TypeOut{}, err
	}
	return wire.TypeOut{Typed: in.Text, Effects: t.effects(ctx)}, nil
}

// keys presses the keys of a text. Between its parts the command can be given up.
func (t *turn) keys(ctx context.Context, p *page, in wire.TypeIn) error {
	size := typeChunk
	if in.Delay > 0 {
		size = max(1, int(sliceTime.Milliseconds())/in.Delay)
	}
	typed := 0
	for part := range slices.Chunk([]rune(in.Text), size) {
		if typed > 0 && in.Delay > 0 {
			pause(ctx, time.Duration(in.Delay)*time.Millisecond)
		}
		if ctx.Err() != nil {
			return wire.Errorf(wire.CodeResultUnknown, "given up after %d of %d keys", typed, len([]rune(in.Text))).WithHint(hintSnapshot)
		}
		err := t.watch(slice(ctx, quickTime)+sliceTime, func() error {
			return p.Keyboard().Type(string(part), playwright.KeyboardTypeOptions{Delay: playwright.Float(float64(in.Delay))})
		})
		if err != nil {
			return wire.Errorf(wire.CodeResultUnknown, "typing failed after %d keys: %s", typed, firstLine(briefly(err))).WithHint(hintSnapshot)
		}
		typed += len(part)
	}
	return nil
}
