package daemon

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/wire"
)

// option is one that a select element offers.
type option struct{ value, label string }

func (t *turn) selectOptions(ctx context.Context, in wire.SelectIn) (wire.SelectOut, error) {
	if _, err := parseSelector(in.Selector); err != nil {
		return wire.SelectOut{}, err
	}
	ctx, cancel, err := t.within(ctx, in.Timeout, actionTime)
	if err != nil {
		return wire.SelectOut{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return wire.SelectOut{}, err
	}
	at, err := t.target(ctx, p, in.Selector)
	if err != nil {
		return wire.SelectOut{}, err
	}
	choosing := action{name: "select option", do: func(limit *float64, _ *bool) error {
		_, err := at.find.SelectOption(playwright.SelectOptionValues{ValuesOrLabels: &in.Values}, playwright.LocatorSelectOptionOptions{Timeout: limit})
		return err
	}}
	if _, err := t.appear(ctx, p, at, choosing); err != nil {
		return wire.SelectOut{}, err
	}
	if err := t.offers(ctx, at, in.Values); err != nil {
		return wire.SelectOut{}, err
	}
	if err := t.act(ctx, p, at, choosing); err != nil {
		return wire.SelectOut{}, err
	}
	return wire.SelectOut{Selected: in.Values, Effects: t.effects(ctx)}, nil
}

// offers fails when none of the options matches a wanted value or label, and says
// which there are. Playwright would wait for them to come.
func (t *turn) offers(ctx context.Context, at target, wanted []string) error {
	limit := slice(ctx, quickTime)
	answer, err := look(t, limit+time.Second, func() (any, error) {
		return at.find.Evaluate("e => e.options ? Array.from(e.options, o => [o.value, o.label]) : null", nil,
			playwright.LocatorEvaluateOptions{Timeout: playwright.Float(milliseconds(limit))})
	})
	if err != nil {
		return coded(err)
	}
	list, ok := answer.([]any)
	if !ok {
		return wire.Errorf(wire.CodeNotActionable, "%q is not a select element", at.sel.given).WithHint(hintSnapshot)
	}
	var there []option
	for _, entry := range list {
		if pair, ok := entry.([]any); ok && len(pair) == 2 {
			there = append(there, option{fmt.Sprint(pair[0]), fmt.Sprint(pair[1])})
		}
	}
	for _, want := range wanted {
		if !offered(there, want) {
			return noOption(want, there)
		}
	}
	return nil
}

func offered(there []option, want string) bool {
	for _, o := range there {
		if o.value == want || oneLine(o.label) == oneLine(want) {
			return true
		}
	}
	return false
}

const maxListed = 30

func noOption(want string, there []option) error {
	var names []string
	for i, o := range there {
		if i == maxListed {
			names = append(names, "...")
			break
		}
		names = append(names, fmt.Sprintf("%s (%q)", o.value, o.label))
	}
	return wire.Errorf(wire.CodeNotFound, "no option matches %q; available options: %s", want, strings.Join(names, ", ")).
		WithHint("a value or a visible label is taken")
}
