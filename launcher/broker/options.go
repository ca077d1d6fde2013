package broker

import (
	"context"
	"log/slog"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// ServeOptions are for [Serve]. All else comes from the keeper.
type ServeOptions struct {
	Root     home.Root
	Settings wire.Settings
	Build    string
	Log      *slog.Logger
	Ready    func(error)
	// Spares is the number of new sessions after which a page is held ready for the
	// next one; below 0: never. Where a person would see that page, in a browser with
	// windows or in one that we did not start, none is held.
	Spares int
	// CleanupScript removes from a page what daemons left there; see [patches.Options].
	CleanupScript string
	// Bury ends what a session has kept outside of the browser, which ended with its
	// agent when no daemon was connected for it, and reports whether its tabs are to be
	// closed. It may take as long as its ctx lasts. Nil: nothing is kept.
	Bury func(ctx context.Context, session string) (closes bool, err error)
}

// defaultSpares is where more sessions are likely to come. A page held ready takes the
// memory of one.
const defaultSpares = 5

func (o ServeOptions) spares() int {
	switch {
	case o.Spares < 0:
		return 0
	case o.Spares == 0:
		return defaultSpares
	}
	return o.Spares
}

// watched reports whether a person sees the browser's windows.
func (o ServeOptions) watched() bool { return o.Settings.Headed || o.Settings.External() }

func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}
