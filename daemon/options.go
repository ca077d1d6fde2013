package daemon

import (
	"context"
	"log/slog"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Options say which session a daemon serves, and with what. Root, Session, Browser and
// Backend are required.
type Options struct {
	Root     home.Root
	Session  string
	Settings wire.Settings
	Build    string
	Log      *slog.Logger // nil: discard
	// Ready is called once: with nil when the socket accepts connections, or with the reason
	// why it never will. It may be nil.
	Ready func(error)
	// Browser starts the session's browser if necessary, and returns where its broker listens.
	Browser func(context.Context) (home.Endpoint, error)
	// Broker is where the broker listens while it runs. Requests that start no browser are
	// sent there. Zero is the place of the default browser.
	Broker home.Endpoint
	// Backend makes what drives the session's pages.
	Backend func(*Session) Backend
}
