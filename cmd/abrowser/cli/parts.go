package cli

import (
	"context"
	"fmt"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// install fetches what is missing.
func (a *app) install(ctx context.Context, l line) (any, error) {
	parts, err := a.behind.Install(ctx, a.settings, verbs.InstallIn{WithDeps: l.on("withDeps")})
	if err != nil {
		return nil, interruption(ctx, err)
	}
	return &checked{PartsOut: verbs.PartsOut{Parts: parts}}, nil
}

// doctor checks every part.
func (a *app) doctor(ctx context.Context, _ line) (any, error) {
	parts := a.behind.Check(ctx, a.settings)
	if err := interruption(ctx, ctx.Err()); err != nil {
		return nil, err
	}
	return &checked{PartsOut: verbs.PartsOut{Parts: parts}}, nil
}

// checked are parts of which some may not be in order. The answer is printed
// whole, and fails with the first of those.
type checked struct{ verbs.PartsOut }

// failure is the error of the first part that is not in order.
func (c *checked) failure() error {
	var first *verbs.Part
	bad := 0
	for i, p := range c.Parts {
		if p.OK {
			continue
		}
		bad++
		if first == nil {
			first = &c.Parts[i]
		}
	}
	if first == nil {
		return nil
	}
	code := first.Code
	if code == "" {
		code = wire.CodeInternal
	}
	return &wire.Error{Code: code, Message: fmt.Sprintf("%d of %d parts not in order, the first: %s", bad, len(c.Parts), first.Name), Hint: first.Hint}
}
