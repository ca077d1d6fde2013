package broker

import (
	"context"
	"log/slog"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// ServeOptions are the options of [Serve]. Root is required. Settings must be the settings of the
// keeper, which this process has in its environment. The other fields may be empty.
type ServeOptions struct {
	Root     home.Root
	Settings wire.Settings
	Build    string
	Log      *slog.Logger // nil logs nothing
	Ready    func(error)  // called when the broker has ended; may be nil
	// SpareAfter is the number of new sessions after which the broker creates a page in advance for
	// the next session. 0 means the default, and a negative number means never. No page is created
	// in advance in a visible or external browser, where a person would see it.
	SpareAfter int
	// CleanupScript removes from a page the changes that a session's daemon left there; see
	// [patches.Options].
	CleanupScript string
	// FinalizeSession removes what a session has stored outside of the browser. The broker calls it
	// if a session's agent (the program that uses the session) has ended and the session's daemon
	// is not connected to the broker. FinalizeSession reports whether the session's tabs are to be
	// closed. It is nil if sessions store nothing outside of the browser.
	FinalizeSession func(ctx context.Context, session string) (closeTabs bool, err error)
}

// defaultSpareAfter is the default of SpareAfter. A browser that has had this many sessions will
// probably get more. The number is not lower, since a page that was created in advance takes as
// much memory as any page.
const defaultSpareAfter = 5

func (o ServeOptions) spareAfter() int {
	if o.SpareAfter == 0 {
		return defaultSpareAfter
	}
	return max(0, o.SpareAfter)
}

// isVisible reports whether a person sees the browser's windows.
func (o ServeOptions) isVisible() bool { return o.Settings.Headed || o.Settings.External() }
