package roles

import (
	"context"
	"runtime"

	"github.com/abrowser/abrowser/cmd/abrowser/cli"
	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web"
	"github.com/abrowser/abrowser/daemon/web/har"
	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// serveSession runs the process `abrowser daemon NAME`, which serves one session. The process
// starts the browser and the driver at the first verb that needs a page.
func serveSession(ctx context.Context, sys cli.System, session string) error {
	// A session runs one command at a time. With a second processor, each response would wake a
	// thread that finds nothing to do, which costs a tenth of a short command's time.
	runtime.GOMAXPROCS(1)
	return announced(sys, func(r *role) error {
		broker, err := r.root.BrowserOf(r.settings)
		if err != nil {
			return err
		}
		own, err := driver.OwnRequested(sys.Lookup)
		if err != nil {
			return err
		}
		return daemon.Run(ctx, daemon.Options{
			Root: r.root, Session: session, Settings: r.settings, Build: r.build, Log: r.log, Ready: r.ready,
			Broker: broker,
			Browser: func(ctx context.Context) (home.Endpoint, error) {
				place, _, err := r.launcher.Browser(ctx, r.settings)
				return place, err
			},
			Backend: web.New(r.driver(own)),
		})
	})
}

// driver returns a function that provides Playwright's driver to a session. If own is true, the
// session gets a driver of its own. Otherwise, all sessions share one driver.
func (r *role) driver(own bool) func(context.Context) (web.Driver, error) {
	shared := &driver.Shared{Root: r.root, Log: r.log}
	return func(ctx context.Context) (web.Driver, error) {
		found, err := driver.Find(ctx, r.launcher.Installer())
		d := web.Driver{Directory: found.Directory, Node: found.Node}
		if !own {
			d.Join = func(ctx context.Context) (*driver.Conn, error) { return shared.Connect(ctx, found) }
		}
		return d, err
	}
}

// finishRecording writes the HAR file of a session that ends while its daemon does not run. It
// returns the file's path, or "" if the session was not recording its requests.
func finishRecording(root home.Root, session string) (string, error) {
	return web.FinishRecording(root, session)
}

// writeHAR writes requests as a HAR file.
func writeHAR(path string, requests []verbs.Request) error { return har.WriteRequests(path, requests) }

// closesAtEnd reports whether the tabs of a session must be closed when the session ends while
// its daemon does not run.
func closesAtEnd(root home.Root, session string) bool { return daemon.ClosesAtEnd(root, session) }

// cleanupScript returns the script that removes from a page what the daemon has added to it.
func cleanupScript() string { return web.CleanupScript }
