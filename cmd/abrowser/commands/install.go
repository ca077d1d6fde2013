package commands

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// install downloads the missing parts of the installation.
func (x *run) install(ctx context.Context, in verbs.InstallIn) (*verbs.PartsOut, error) {
	parts, err := x.full.Install(ctx, x.settings, in)
	if err != nil {
		return nil, interruption(ctx, err)
	}
	x.failure = partsError(parts)
	return &verbs.PartsOut{Parts: parts}, nil
}

// doctor checks every part of the installation.
func (x *run) doctor(ctx context.Context, _ verbs.Empty) (*verbs.PartsOut, error) {
	parts := x.full.Check(ctx, x.settings)
	if err := interruption(ctx, ctx.Err()); err != nil {
		return nil, err
	}
	x.failure = partsError(parts)
	return &verbs.PartsOut{Parts: parts}, nil
}

// partsError returns an error that names the first part that is not in order. If all parts are in
// order, it returns nil.
func partsError(parts []verbs.Part) error {
	bad := slices.DeleteFunc(slices.Clone(parts), func(p verbs.Part) bool { return p.OK })
	if len(bad) == 0 {
		return nil
	}
	return &wire.Error{
		Code:    cmp.Or(bad[0].Code, wire.CodeInternal),
		Message: fmt.Sprintf("%d of %d parts not in order, the first: %s", len(bad), len(parts), bad[0].Name), Hint: bad[0].Hint,
	}
}
