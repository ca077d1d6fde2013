package daemon

import (
	"context"
	"log/slog"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Options configure a daemon. Root, Session, Browser and Backend are required.
type Options struct {
	Root     home.Root
	Session  string
	Settings wire.Settings
	Build    string
	Log      *slog.Logger // nil: discard
	// Ready is called once: with nil when the socket accepts connections, or with the reason
	// why it never will. It may be nil.
	Ready func(error)
	// Browser starts the session's browser if necessary, and returns where the browser's broker
	// listens.
	Browser func(context.Context) (home.Endpoint, error)
	// Broker is the endpoint to which the daemon sends its requests to the broker. These requests
	// never start a browser. The zero value is the endpoint of the default browser's broker.
	Broker home.Endpoint
	// Backend returns the backend that drives the session's pages.
	Backend func(*Session) Backend
}
