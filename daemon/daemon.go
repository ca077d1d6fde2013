package daemon

import (
	"context"
	"log/slog"
	"sync"

	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Options say which session a daemon serves and with what. Root, Session, Browser
// and Driver are required.
type Options struct {
	Root     home.Root
	Session  string
	Settings wire.Settings
	Build    string
	Log      *slog.Logger // nil: discard
	// Ready is told once that the socket accepts, or why it never will. Nil: nobody.
	Ready func(error)
	// Browser makes the session's browser run and says where its broker listens.
	Browser func(context.Context) (home.Endpoint, error)
	// Broker is where that broker listens when it runs; it is asked there without
	// being started. Zero: the default browser's place.
	Broker home.Endpoint
	// Driver provides Playwright's driver.
	Driver func(context.Context) (Driver, error)
}

// Driver is where Playwright's driver is, and the program that runs it.
type Driver struct {
	Directory string // holds package/cli.js
	Node      string // run as `node package/cli.js ...`
	// Join connects to a driver that other sessions share. Nil: the session has one
	// of its own.
	Join func(context.Context) (*driver.Conn, error)
	// Process is locked while a driver starts: playwright-go sets its logger, and we the
	// environment, for the whole process. Sessions of one process share it. Nil: the
	// process has one session.
	Process sync.Locker
}
