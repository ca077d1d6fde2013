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
	// Handlers returns a handler for each verb that the backend serves. Handlers are made with
	// [Queued], [QueuedBriefly] and [Unqueued].
	Handlers() []Handler
	// Prepare starts the driver, if it does not run already. The driver is the program that
	// Connect needs besides the browser, such as Playwright's driver. Prepare is called before
	// each Connect, and runs while the browser starts.
	Prepare(ctx context.Context) error
	// Connect connects to the session's pages. The previous connection is already closed.
	Connect(ctx context.Context, at Endpoint) (Connection, error)
	// Watch runs until ctx ends. It calls [Session.Reconnect] when the driver ends by itself.
	Watch(ctx context.Context)
	// IsAlive reports whether the driver still runs. It must return at once.
	IsAlive() bool
	// State describes the driver, for the status of the session.
	State(ctx context.Context) verbs.DriverStatus
	// Questions lists the requests of pages that wait for a person.
	Questions() []verbs.PendingQuestion
	// FinishRecording ends the recording of the pages' requests. It returns the path of the file
	// with the requests, or "" if no recording was on.
	FinishRecording() (path string, err error)
	// Record returns what the pages have logged and requested, as far as it is known. It is called
	// before the connection is closed.
	Record(ctx context.Context) (verbs.SessionRecord, error)
	// Release ends the driver, unless other sessions share it. The connection is already closed.
	Release() error
}

// Endpoint is the address at which a broker serves CDP for a session's pages.
type Endpoint struct {
	Place  home.Endpoint // where the browser's broker listens
	Socket string        // a path to the broker's socket that needs no escapes in a URL
	Path   string        // the URL path of the session's endpoint, with its query
	Party  string        // the broker counts connections with the same party as one client

	Windowed bool // the browser has windows, in which a person may act too
}

// Connection is a backend's connection to the session's pages. When it is lost, the daemon
// calls [Backend.Connect] again.
type Connection interface {
	// Lost returns a channel that is closed when the connection is lost or closed.
	Lost() <-chan struct{}
	// Drop marks the connection as lost.
	Drop()
	// Restore undoes the backend's changes to the pages.
	Restore()
	// Close closes the connection. The pages stay open.
	Close()
	// Wait is called after Close. It waits until nothing uses the connection any more, and may
	// end the driver to achieve that.
	Wait()
	// IsPageClosed reports whether the connection was notified that a page was closed. The
	// parameter target is the page's target id, here and in the methods below.
	IsPageClosed(target string) bool
	// Diagnose checks whether the driver and a page respond. If one of them does not respond,
	// problem says which one, and hint says what helps. If both respond, problem is empty.
	Diagnose(ctx context.Context, target string) (problem, hint string)
	// IsRecovering is called when a call on a page is overdue. It returns true if the call waits
	// for a driver that does not respond and is being replaced, and not for the page.
	IsRecovering(target string) bool
}
