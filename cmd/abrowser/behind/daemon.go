package behind

import (
	"context"
	"runtime"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/cli"
	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/launcher"
	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/launcher/spare"
	"github.com/abrowser/abrowser/sockets"
)

// serveSession is the process `abrowser daemon NAME`: it serves one session. The
// browser and the driver are made to run at the first verb that needs a page.
func serveSession(ctx context.Context, sys cli.System, session string) error {
	oneProcessor()
	return announced(sys, func(r *role) error { return r.serve(ctx, sys, session, nil) })
}

// oneProcessor is for a daemon. A session does one thing after the other; a second
// processor would be woken with each answer and find nothing to do: a tenth of a short
// command's time.
func oneProcessor() { runtime.GOMAXPROCS(1) }

func (r *role) serve(ctx context.Context, sys cli.System, session string, ahead *daemon.Ahead) error {
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
		Browser: func(ctx context.Context) (sockets.Place, error) {
			place, _, err := r.launcher.Browser(ctx, r.settings)
			return place, err
		},
		Driver: r.driver(own, false),
		Ahead:  ahead,
	})
}

// driver provides a driver: one of the session's own, or one that many share, which may
// be joined ahead of a session.
func (r *role) driver(own, ahead bool) func(context.Context) (daemon.Driver, error) {
	shared := &driver.Shared{Root: r.root, Log: r.log}
	return func(ctx context.Context) (daemon.Driver, error) {
		found, err := driver.Find(ctx, r.launcher.Installer(), "")
		found.Ahead = ahead
		d := daemon.Driver{Directory: found.Directory, Node: found.Node}
		if !own {
			d.Join = func(ctx context.Context) (*driver.Line, error) { return shared.Join(ctx, found) }
		}
		return d, err
	}
}

// spareTime is how long a daemon waits for a session. While it does, it keeps a driver
// from ending.
const spareTime = 5 * time.Minute

// waitForSession is the process `abrowser daemon (spare)`: it connects to the driver,
// waits until it is given a session, and is that session's daemon from then on.
func waitForSession(ctx context.Context, sys cli.System) error {
	oneProcessor()
	var order *spare.Order
	var ahead *daemon.Ahead
	err := announced(sys, func(r *role) (err error) {
		order, ahead, err = r.wait(ctx, sys)
		return err
	})
	if err != nil || order == nil {
		return err
	}
	if err := order.Become(); err != nil {
		order.Ready(err)
		return err
	}
	sys = cli.OS() // with another environment
	r, err := newRole(sys)
	r.ready = order.Ready
	if err == nil {
		err = r.serve(ctx, sys, order.Name, ahead)
	}
	if err != nil {
		r.log.Error("ended", "error", err)
		order.Ready(err) // where it was ready before, this is not heard
	}
	return err
}

// wait returns the session that came, nil where none did, and what was prepared for it.
func (r *role) wait(ctx context.Context, sys cli.System) (*spare.Order, *daemon.Ahead, error) {
	hold, err := launcher.Hold()
	if err != nil {
		return nil, nil, err
	}
	place, err := r.root.BrowserOf(r.settings)
	if err != nil {
		return nil, nil, err
	}
	own, err := driver.Own(sys.Lookup)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, spareTime)
	defer cancel()
	go func() { // ends with hold, which this function closes
		_, _ = hold.Read(make([]byte, 1)) // nothing is ever written
		cancel()
	}()
	defer hold.Close() // it was only read
	var ahead *daemon.Ahead
	if !own {
		if ahead, err = daemon.Prepare(ctx, r.driver(false, true), r.log); err != nil {
			return nil, nil, err
		}
	}
	choice := driver.Choice(sys.Lookup)
	order, err := spare.Wait(ctx, place.Spare(), r.build, r.ready)
	switch {
	case ahead == nil:
	case order == nil:
		ahead.Close()
	case choice != driver.Choice(order.Lookup):
		ahead.Close()
		ahead = nil
	}
	if ctx.Err() != nil && order == nil {
		err = nil // nobody came
	}
	return order, ahead, err
}

// finishRecording writes the HAR of a session that ends without its daemon.
func finishRecording(root sockets.Root, session string) (string, error) {
	return daemon.FinishRecording(root, session)
}

// closesAtEnd reports whether the tabs of a session go with it, which ends without its
// daemon.
func closesAtEnd(root sockets.Root, session string) bool { return daemon.ClosesAtEnd(root, session) }

// farewell is a script that takes off what a daemon leaves in its pages.
func farewell() string { return daemon.Farewell }
