package web

import (
	"context"
	"fmt"
	"strings"

	"github.com/abrowser/abrowser/daemon/web/aria"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// option is one that a select element offers.
type option struct{ value, label string }

func (c *call) selectOptions(ctx context.Context, in verbs.SelectIn) (verbs.SelectOut, error) {
	if _, err := parseSelector(in.Selector); err != nil {
		return verbs.SelectOut{}, err
	}
	ctx, cancel, err := c.Limit(ctx, in.Timeout, actionTime)
	if err != nil {
		return verbs.SelectOut{}, err
	}
	defer cancel()
	p, err := c.currentPage(ctx)
	if err != nil {
		return verbs.SelectOut{}, err
	}
	at, err := c.aim(p, in.Selector)
	if err != nil {
		return verbs.SelectOut{}, err
	}
	if _, err := c.perform(ctx, p, at, action{name: "select", verb: "select", params: map[string]any{"values": in.Values}}); err != nil {
		return verbs.SelectOut{}, err
	}
	return verbs.SelectOut{Selected: in.Values, Effects: c.effects(ctx)}, nil
}

// optionsError names an option that was asked for and is not among those there are.
func optionsError(a action, options [][]string) error {
	var there []option
	for _, pair := range options {
		if len(pair) == 2 {
			there = append(there, option{pair[0], pair[1]})
		}
	}
	wanted, _ := a.params["values"].([]string)
	for _, want := range wanted {
		if !isOffered(there, want) {
			return noOptionError(want, there)
		}
	}
	return noOptionError(strings.Join(wanted, ", "), there) // of a select that takes one
}

func isOffered(there []option, want string) bool {
	for _, o := range there {
		if o.value == want || aria.OneLine(o.label) == aria.OneLine(want) {
			return true
		}
	}
	return false
}

const maxListed = 30

func noOptionError(want string, there []option) error {
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
