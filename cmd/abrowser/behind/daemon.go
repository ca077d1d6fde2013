package behind

import (
	"context"
	"runtime"

	"github.com/abrowser/abrowser/cmd/abrowser/cli"
	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/sockets/home"
)

// serveSession is the process `abrowser daemon NAME`: it serves one session. The
// browser and the driver are made to run at the first verb that needs a page.
func serveSession(ctx context.Context, sys cli.System, session string) error {
	// A session does one thing after the other. A second processor would be woken with
	// each answer and find nothing to do: a tenth of a short command's time.
	runtime.GOMAXPROCS(1)
	return announced(sys, func(r *role) error {
		broker, err := r.root.BrowserOf(r.settings)
		if err != nil {
			return err
		}
		own, err := driver.Own(sys.Lookup)
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
			Driver: r.driver(own),
		})
	})
}

// driver returns a function that provides Playwright's driver to a session. If own is
// true, the session gets a private driver; otherwise sessions share one.
func (r *role) driver(own bool) func(context.Context) (daemon.Driver, error) {
	shared := &driver.Shared{Root: r.root, Log: r.log}
	return func(ctx context.Context) (daemon.Driver, error) {
		found, err := driver.Find(ctx, r.launcher.Installer(), "")
		d := daemon.Driver{Directory: found.Directory, Node: found.Node}
		if !own {
			d.Join = func(ctx context.Context) (*driver.Line, error) { return shared.Join(ctx, found) }
		}
		return d, err
	}
}

// finishRecording writes the HAR of a session that ends without its daemon.
func finishRecording(root home.Root, session string) (string, error) {
	return daemon.FinishRecording(root, session)
}

// closesAtEnd reports whether the tabs of a session go with it, which ends without its
// daemon.
func closesAtEnd(root home.Root, session string) bool { return daemon.ClosesAtEnd(root, session) }

// farewell is a script that takes off what a daemon leaves in its pages.
func farewell() string { return daemon.Farewell }
