package daemon

import (
	"context"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// Backend drives the pages of one session. It serves the verbs that need a page; the daemon
// decides which command runs, for whom, and what happens when a connection is lost.
// daemon/web is a backend for Chromium.
type Backend interface {
	// Handlers returns the verbs that the backend serves: see [Queued], [QueuedBriefly] and
	// [Unqueued].
	Handlers() []Handler
	// Prepare starts what Connect needs besides the browser. It is called before each
	// Connect, while the browser starts.
	Prepare(ctx context.Context) error
	// Connect connects to the session's pages. The connection before is closed by then.
	Connect(ctx context.Context, at Endpoint) (Connection, error)
	// Watch runs until ctx ends. It calls [Session.Reconnect] when what Prepare has started
	// ends by itself.
	Watch(ctx context.Context)
	// IsAlive reports whether what Prepare has started still runs. It must return at once.
	IsAlive() bool
	// State describes what Prepare has started, for the status of the session.
	State(ctx context.Context) verbs.DriverStatus
	// FinishRecording ends a recording of requests and returns the file that it was written
	// to, or "" if nothing was recorded.
	FinishRecording() (path string, err error)
	// Release ends what Prepare has started. The connection is closed by then.
	Release() error
}

// Endpoint says where a session's pages are.
type Endpoint struct {
	Place  home.Endpoint // where the browser's broker listens
	Socket string        // the broker's socket, by a path that can be part of a URL
	Path   string        // of the session's endpoint, with its query
	Party  string        // names this connection: the broker's clients at Path belong together
}

// Connection is a backend's connection to the session's pages. When it is lost the daemon
// has the backend connect again.
type Connection interface {
	// Lost returns a channel that is closed when the connection is lost or closed.
	Lost() <-chan struct{}
	// Drop marks the connection as lost.
	Drop()
	// Restore undoes what the backend has changed in the pages.
	Restore()
	// Close closes the connection. The pages stay as they are.
	Close()
	// Wait waits after Close until nothing uses the connection any more. To get there it may
	// end what [Backend.Prepare] has started.
	Wait()
	// IsPageClosed reports whether a page was closed as far as the connection knows it.
	IsPageClosed(target string) bool
	// Diagnose asks the page, or the active target, whether it responds. If it does not,
	// Diagnose returns what does not respond and a hint.
	Diagnose(ctx context.Context, target string) (problem, hint string)
	// IsRecovering reports whether a call that is overdue will end since what the backend
	// uses is being replaced, and not because of the page.
	IsRecovering(target string) bool
}
