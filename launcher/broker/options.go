package broker

import (
	"context"
	"log/slog"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// ServeOptions are for [Serve]. Root is required; the keeper hands over the rest.
type ServeOptions struct {
	Root     home.Root
	Settings wire.Settings
	Build    string
	Log      *slog.Logger // nil discards
	Ready    func(error)  // called when the broker has ended; may be nil
	// SpareAfter is the number of new sessions after which a page is created ahead for the
	// next one. 0 is the default, a negative number means never. None is created in a
	// visible or external browser, where a person would see it.
	SpareAfter int
	// CleanupScript removes from a page what a session's daemon left there; see
	// [patches.Options].
	CleanupScript string
	// FinalizeSession ends what a session keeps outside of the browser. It is called for a
	// session that ended with its agent while no daemon was connected, and reports whether
	// the session's tabs are to be closed. Nil if sessions keep nothing.
	FinalizeSession func(ctx context.Context, session string) (closeTabs bool, err error)
}

// defaultSpareAfter is a number of sessions after which more are likely to come. A spare
// page takes as much memory as any page.
const defaultSpareAfter = 5

func (o ServeOptions) spareAfter() int {
	if o.SpareAfter == 0 {
		return defaultSpareAfter
	}
	return max(0, o.SpareAfter)
}

// isVisible reports whether a person sees the browser's windows.
func (o ServeOptions) isVisible() bool { return o.Settings.Headed || o.Settings.External() }
