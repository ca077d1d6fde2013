package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/server"
	"github.com/abrowser/abrowser/sockets/wire"
)

const endTime = 4 * time.Second // how long running commands may still take when the daemon ends

// Run serves a session. It returns after any of these events:
//
//   - ctx ends.
//   - The owner process ends.
//   - The daemon's socket is removed.
//   - The session is closed, or the broker has ended it.
//   - The session has been idle for too long.
//   - The browser does not start for the first command.
//   - The daemon gets SIGTERM, SIGINT, SIGHUP or a request to end.
//
// The session's pages stay open, with two exceptions. A request to close the session can ask to
// close the pages too. If [State].ClosesTabs is set, the pages are also closed when the session is
// closed, when the broker has ended it, and when the owner process ends.
func Run(ctx context.Context, o Options) error {
	ready := o.Ready
	if ready == nil {
		ready = func(error) {}
	}
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	fail := func(err error) error {
		ready(err)
		return err
	}
	if err := o.Root.Make(); err != nil {
		return fail(err)
	}
	place, err := o.Root.Session(o.Session)
	if err != nil {
		return fail(err)
	}
	idle := newIdle()
	if err := idle.set(o.Settings.IdleTimeout); err != nil {
		return fail(err)
	}
	if o.Broker == (home.Endpoint{}) {
		if o.Broker, err = o.Root.Browser("default"); err != nil {
			return fail(err)
		}
	}
	lease, err := sockets.TryAcquire(place.Lock)
	if err != nil {
		return fail(err)
	}
	listener, err := sockets.Listen(place, lease)
	if err != nil {
		return fail(errors.Join(err, lease.Close()))
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newSession(o, log, cancel)
	s.idle, s.browserIdle = idle, o.Settings.BrowserIdle
	s.isBound = func() bool { return sockets.Bound(place, lease) }
	s.unbind = func() {
		if err := sockets.Unlink(place, lease); err != nil {
			log.Warn("removing the socket", "error", err)
		}
	}
	var watch sync.WaitGroup
	watch.Go(func() { s.backend.Watch(ctx) })
	watch.Go(func() { s.watchConnection(ctx) })
	watch.Go(func() { s.watchIdle(ctx) })
	// Without this call, the Go runtime gives back the memory of a large reply only after minutes.
	// A reply with a picture of 30 MB takes 160 MB of memory.
	watch.Go(func() { s.idle.watchRest(ctx, debug.FreeOSMemory) })
	watch.Go(func() { s.watchOwner(ctx) })
	watch.Go(func() { s.reporter.run(ctx) })
	srv := &server.Server{
		Hello: func() wire.Hello { return s.hello(os.Getpid()) }, Retire: s.retire,
		Log: log, Build: o.Build, Grace: endTime, Unlink: s.unbind, Served: s.reporter.addCommand,
	}
	for _, h := range s.handlers() {
		srv.Handlers = append(srv.Handlers, h.Handler)
	}
	stopQueue := context.AfterFunc(ctx, func() {
		s.queue.stop(nil, wire.Errorf(wire.CodeInterrupted, "the session's daemon is ending"))
	})
	defer stopQueue()
	ready(nil)
	log.Info("ready", "session", o.Session, "pid", os.Getpid())

	err = srv.Serve(ctx, listener)
	return errors.Join(err, s.shutdown(place, lease, cancel, &watch))
}

func newSession(o Options, log *slog.Logger, end func()) *Session {
	broker := newBroker(o.Broker, o.Session)
	s := &Session{
		Root: o.Root, Name: o.Session, Log: log, State: OpenState(o.Root, o.Session, log), Notices: &Notices{}, Tabs: newTabs(broker), Broker: broker,
		build: o.Build, settings: o.Settings, since: time.Now(), browser: o.Browser, end: end, connections: make(chan *connection, 1), owner: newOwner(), reporter: newReporter(broker),
	}
	s.Notices.OnQuestion = s.reporter.addQuestion
	s.backend = o.Backend(s)
	return s
}

// shutdown ends the daemon. When it is called, the socket has been removed, the listener has been
// closed, and each command has been answered or cancelled. These are its steps:
//
//  1. Stop the watchers.
//  2. Close the connection to the browser. The pages stay open, and calls on them end.
//  3. Wait for deferred work, and release the backend.
//  4. Close the connection to the broker, and remove the alias of the broker's socket.
//  5. Remove the lock files, and close the lease. This comes last, because the next daemon listens
//     as soon as it has the lease.
func (s *Session) shutdown(place home.Endpoint, lease *sockets.Lease, cancel func(), watch *sync.WaitGroup) error {
	cancel()
	watch.Wait()
	if c := s.current(); c != nil {
		s.keepRecord(context.Background())
		closeConnection(c)
	}
	s.deferred.Wait()
	err := errors.Join(s.backend.Release(), s.Broker.close(), s.Root.RemoveAlias(s.Name))
	err = errors.Join(err, lease.Remove(place))
	s.Log.Info("ended", "served", time.Since(s.since).String())
	return err
}

// CheckSocket ends the daemon if its socket was removed or replaced, because clients can then no
// longer reach the daemon. It is called when the broker, which watches the sockets, reports the
// removal, and when the connection to the browser is lost. A daemon without a connection to a
// browser gets no report. The launcher ends such a daemon when it starts another one for the
// session.
func (s *Session) CheckSocket() {
	if !s.isBound() {
		s.Log.Warn("the socket is gone")
		s.end()
	}
}
