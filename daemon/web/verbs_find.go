package web

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/aria"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// find finds an element by its role, its text or another property, and acts on the element.
func (c *pageCall) find(ctx context.Context, in verbs.FindIn) (verbs.FindOut, error) {
	sel, err := findSelector(in)
	if err != nil {
		return verbs.FindOut{}, err
	}
	f := finding{c, in, sel}
	out, err := f.act(ctx)
	if errors.Is(err, wire.CodeNotFound) {
		err = f.missError(ctx)
	}
	return out, err
}

// finding is a find command.
type finding struct {
	*pageCall
	in  verbs.FindIn
	sel selector // selects the element to find
}

func checkFind(in verbs.FindIn) error {
	_, err := findSelector(in)
	return err
}

// act acts on the element.
func (f finding) act(ctx context.Context) (out verbs.FindOut, err error) {
	_, _, name, text := f.in.Split()
	sel := f.sel
	var a action
	switch name {
	case "text":
		return f.text(ctx)
	case "click":
		a, out.Clicked = clicking("left", 1), sel.query
	case "dblclick":
		a, out.Clicked = clicking("left", 2), sel.query
	case "fill":
		a, out.Filled = filling(text), sel.query
	case "type":
		a, out.Typed = action{name: name, verb: name, params: map[string]any{"text": text}}, sel.query
	case "check":
		a, out.Checked = checking(name, true), sel.query
	case "uncheck":
		a, out.Unchecked = checking(name, false), sel.query
	case "hover":
		a, out.Hovered = action{name: name, verb: name}, sel.query
	case "focus":
		a, out.Focused = action{name: name, verb: name}, sel.query
	}
	out.Effects, err = f.performAt(ctx, target{sel: sel, query: f.inFrame(sel)}, a)
	return out, err
}

// text reads the text of the element.
func (f finding) text(ctx context.Context) (verbs.FindOut, error) {
	all := f.page.Locator(f.sel.query)
	at, err := f.findFirst(ctx, f.sel)
	if err != nil {
		return verbs.FindOut{}, err
	}
	text, err := readFound(ctx, f.pageCall, target{sel: f.sel, all: all}, func(limit *float64) (string, error) {
		return at.InnerText(playwright.LocatorInnerTextOptions{Timeout: limit})
	})
	if err != nil {
		return verbs.FindOut{}, codeError(err)
	}
	return verbs.FindOut{Found: &text}, nil
}

// findSelector returns Playwright's selector for the element that a find command describes.
func findSelector(in verbs.FindIn) (selector, error) {
	value, index, _, _ := in.Split()
	shown := fmt.Sprintf("%s %q", in.By, value)
	switch in.By {
	case "first", "last", "nth":
		sel, err := parseSelector(value)
		if err == nil && sel.ref != 0 {
			err = wire.Errorf(wire.CodeBadInput, "a ref names one element; find %s takes a selector", in.By).WithHint("abrowser click %s", wire.ShellWord(value))
		}
		if in.By == "last" {
			index = -1
		}
		return selector{given: in.By + " " + value, query: sel.query + " >> nth=" + strconv.Itoa(index)}, err
	case "role":
		if strings.Trim(value, "abcdefghijklmnopqrstuvwxyz-") != "" {
			return selector{}, wire.Errorf(wire.CodeBadInput, "%q is not a role", value).WithHint("abrowser find role button --name Send")
		}
		sel := selector{given: shown, query: "internal:role=" + value}
		if in.Name != "" {
			sel = selector{given: fmt.Sprintf("%s %q", value, in.Name), query: sel.query + "[name=" + attributeText(in.Name, in.Exact) + "]"}
		}
		return sel, nil
	case "text", "label":
		return selector{given: shown, query: "internal:" + in.By + "=" + quotedText(value, in.Exact)}, nil
	case "testid":
		return selector{given: shown, query: "internal:testid=[data-testid=" + attributeText(value, true) + "]"}, nil
	}
	return selector{given: shown, query: "internal:attr=[" + in.By + "=" + attributeText(value, in.Exact) + "]"}, nil
}

// quotedText returns a text in the form that Playwright's selectors for texts and labels require.
func quotedText(text string, exact bool) string {
	return strconv.Quote(text) + matchSuffix(exact)
}

// attributeText returns a text in the form that Playwright's selectors for attributes require.
func attributeText(text string, exact bool) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"` + matchSuffix(exact)
}

func matchSuffix(exact bool) string {
	if exact {
		return "s"
	}
	return "i"
}

// maxNamed is the largest number of names in the error for an element that does not exist.
const maxNamed = 12

// missError returns the error for an element that does not exist. The error names existing elements
// of the same kind.
func (f finding) missError(ctx context.Context) error {
	names := f.names(context.WithoutCancel(ctx))
	if len(names) == 0 {
		return notFoundError(f.sel)
	}
	kind := map[string]string{"role": "named " + f.in.Value, "alt": "alternative text", "testid": "test id"}[f.in.By]
	if kind == "" {
		kind = f.in.By
	}
	if len(names) > 1 {
		kind += "s"
	}
	shown := names[:min(len(names), maxNamed)]
	if len(names) > maxNamed {
		shown = append(slices.Clone(shown), "...")
	}
	return wire.Errorf(wire.CodeNotFound, "element not found: %s; the page has %d %s: %s", f.sel.given, len(names), kind, strings.Join(shown, ", ")).
		WithHint(daemon.HintSnapshot)
}

// names returns the names, or the attributes, by which elements of the page could be found.
func (f finding) names(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	var names []string
	switch f.in.By {
	case "role":
		root, err := f.captureFrame(ctx)
		if err != nil {
			return nil
		}
		root.Walk(func(n *aria.Node) bool {
			if n.Role == f.in.Value && n.Name != "" {
				names = append(names, aria.OneLine(n.Name))
			}
			return true
		})
	case "placeholder", "alt", "title", "testid":
		attribute := map[string]string{"testid": "data-testid"}[f.in.By]
		if attribute == "" {
			attribute = f.in.By
		}
		all := f.page.Locator(f.frame + "css=[" + attribute + "]")
		answer, err := readFor(f.call, readTime, func() (any, error) {
			return all.EvaluateAll("(all, name) => all.map((e) => e.getAttribute(name)).filter(Boolean)", attribute)
		})
		found, _ := answer.([]any)
		for _, name := range found {
			if text, ok := name.(string); ok && err == nil {
				names = append(names, aria.OneLine(text))
			}
		}
	}
	return names
}
