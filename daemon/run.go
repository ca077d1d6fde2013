package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/server"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	lookTime = 2 * time.Second // between looks at our own socket
	endTime  = 4 * time.Second // for what runs when the daemon ends
)

// Run serves a session until it is closed, ctx ends, SIGTERM or SIGINT comes, or
// its socket is taken away. The session's pages stay where they are.
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
	socket, err := os.Lstat(place.Socket)
	if err != nil {
		return fail(errors.Join(err, listener.Close(), lease.Close()))
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newSession(o, place, log, cancel)
	s.idle, s.browserIdle = idle, o.Settings.BrowserIdle
	s.unbind = func() { s.leave(place, socket) }
	var watch sync.WaitGroup
	watch.Go(func() { s.watchDriver(ctx) })
	watch.Go(func() { s.watchLink(ctx) })
	watch.Go(func() { s.watchIdle(ctx) })
	// What a large answer took, 160 MB for a picture of 30, the runtime keeps for minutes.
	watch.Go(func() { s.idle.watchRest(ctx, debug.FreeOSMemory) })
	watch.Go(func() { s.watchOwner(ctx) })
	watch.Go(func() { s.watchSocket(ctx, place.Socket, socket, cancel) })
	srv := &server.Server{
		Hello: func() wire.Hello { return s.hello(os.Getpid()) }, Retire: s.retire,
		Log: log, Build: o.Build, Grace: endTime, Unlink: s.unbind,
	}
	for _, h := range s.handlers() {
		srv.Handlers = append(srv.Handlers, h.Handler)
	}
	stopLane := context.AfterFunc(ctx, func() {
		s.lane.stop(nil, wire.Errorf(wire.CodeInterrupted, "the session's daemon is ending"))
	})
	defer stopLane()
	ready(nil)
	log.Info("ready", "session", o.Session, "pid", os.Getpid())

	err = srv.Serve(ctx, listener)
	return errors.Join(err, s.shutdown(lease, cancel, &watch))
}

func newSession(o Options, place home.Endpoint, log *slog.Logger, end func()) *Session {
	file := strings.TrimSuffix(filepath.Base(place.Lock), filepath.Ext(place.Lock))
	k, n := newKeeping(o.Root.StateFile(o.Session), log), &news{}
	return &Session{
		root: o.Root, name: o.Session, build: o.Build, settings: o.Settings, log: log, since: time.Now(), browser: o.Browser,
		engine: &engine{provide: o.Driver, stderr: logWriter{log}, temp: o.Root.Path("state", "tmp", file), lines: make(chan *driver.Conn, 1)},
		broker: newBroker(o.Broker, o.Session),
		kept:   k, news: n, dialogs: newDialogs(k, n), asks: newAsks(k, n), recorder: newRecorder(k, o.Root.JournalFile(o.Session)), refs: newRefs(o.Root.Path("state", "sessions", file+".json")), end: end,
		told: map[string]bool{}, openers: map[string]string{}, links: make(chan *link, 1), owner: newOwner(),
	}
}

// shutdown takes the daemon down. When it begins, nothing is served any more: the
// socket is gone, the listener closed, what ran has answered or was cancelled.
//
//  1. Stop looking at the socket and the driver.
//  2. Give the browser's connection up; the pages stay. What waited for them ends.
//  3. End Playwright's driver.
//  4. Close the connection to the broker, and remove the alias of its socket.
//  5. Let the lease go, last: whoever holds it next may bind.
func (s *Session) shutdown(lease *sockets.Lease, cancel func(), watch *sync.WaitGroup) error {
	cancel()
	watch.Wait()
	if _, l := s.known(); l != nil {
		s.unlink(l)
	}
	s.rests.Wait()
	err := errors.Join(s.engine.stop(), s.broker.close(), s.root.RemoveAlias(s.name))
	err = errors.Join(err, lease.Close())
	s.log.Info("ended", "served", time.Since(s.since).String())
	return err
}

// leave takes our socket away, if it is still ours: who comes from now on finds
// nobody, and starts another daemon.
func (s *Session) leave(place home.Endpoint, socket os.FileInfo) {
	if now, err := os.Lstat(place.Socket); err == nil && os.SameFile(now, socket) {
		if err := os.Remove(place.Socket); err != nil {
			s.log.Warn("removing the socket", "error", err)
		}
	}
}

// A session whose driver was lost this soon is left alone until somebody asks for
// it: it may be its page that the driver does not survive.
const soonLost = 10 * time.Second

// watchDriver has the session's pages adopted again by another driver when the one
// that it shares is lost, before the next command asks for them.
func (s *Session) watchDriver(ctx context.Context) {
	for {
		var line *driver.Conn
		select {
		case line = <-s.engine.lines:
		case <-ctx.Done():
			return
		}
		since := time.Now()
		select {
		case <-line.Done():
		case <-ctx.Done():
			return
		}
		// Where the browser was given up, or went first, nobody wants it now.
		if _, l := s.known(); l == nil || l.isGone() || time.Since(since) < soonLost {
			continue
		}
		if err := s.connectAgain(ctx); err != nil {
			s.log.Warn("the driver was lost", "error", err)
		}
	}
}

// connecting is what the lane says of [Session.connectAgain], which is no verb.
const connecting = "connect"

func (s *Session) connectAgain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	ctx, slot, err := s.lane.enter(ctx, connecting)
	if err != nil {
		return err
	}
	defer slot.leave()
	s.mu.Lock()
	s.actor = nil
	s.mu.Unlock()
	if s.settings.SessionMode() == wire.ModeIncognito {
		// Before it is made again: of one that was ended nothing is known any more.
		if out, err := s.broker.claim(ctx, nil); err == nil && out.Unknown {
			s.expire()
			return wire.Errorf(wire.CodeInterrupted, "the session was ended")
		}
	}
	_, err = s.linked(ctx)
	return err
}

// watchSocket ends the daemon when its socket is no longer there: nobody can reach
// it any more, and another may be on its way. It looks now and then, since also
// the directory, or one above it, may go.
func (s *Session) watchSocket(ctx context.Context, path string, ours os.FileInfo, end func()) {
	tick := time.NewTicker(lookTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := os.Lstat(path)
		if err != nil || !os.SameFile(ours, now) {
			s.log.Warn("the socket is gone")
			end()
			return
		}
	}
}

// logWriter passes what the driver says on to the log.
type logWriter struct{ log *slog.Logger }

func (w logWriter) Write(p []byte) (int, error) {
	w.log.Warn("driver", "says", firstLine(string(p)))
	return len(p), nil
}
