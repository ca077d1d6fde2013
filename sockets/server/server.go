package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	maxHead      = 64 << 10         // bytes of a request's head
	headTime     = 5 * time.Second  // limit for receiving a request's head
	bodyTime     = 30 * time.Second // limit for receiving a body, and for sending a response
	idleTime     = 10 * time.Minute // limit for a connection that has no request
	defaultGrace = 5 * time.Second
)

// Server answers requests on a daemon's or broker's socket. Hello is required.
type Server struct {
	Hello    func() wire.Hello       // must not block
	Retire   func() error            // ends an idle server, or returns [wire.CodeBusy]; may be nil
	Handlers []wire.Handler          // the handlers of the verbs
	Locks    []Lock                  // locks that clients may hold
	Extra    map[string]http.Handler // other handlers, by [http.ServeMux] pattern
	Log      *slog.Logger            // if nil, nothing is logged
	Build    string                  // if set, requests with another build are refused
	Grace    time.Duration           // time for running requests to end after the context of Serve; 0 means 5 s
	Unlink   func()                  // removes the socket file when the context of Serve ends; may be nil
	// OnIdleConnsClosed is called after the context of Serve has ended and the idle connections
	// are closed. Requests may still run then. OnIdleConnsClosed may be nil.
	OnIdleConnsClosed func()
	// Served is called when a verb has ended, before its response is sent, which it may delay. The
	// error is that of the response, or nil. Served may be nil.
	Served func(verb wire.Spec, err error, took time.Duration)
}

// Serve answers requests on l until ctx ends or l fails. It accepts only connections from processes
// of this process's user. It closes l before it returns. Serve does not close a connection that a
// handler has hijacked, but it cancels the context of that connection's request. When ctx ends,
// Serve
//
//  1. removes the socket file and accepts the clients that are still in the accept queue,
//  2. stops accepting, closes idle connections without losing a request that a client has sent on
//     one, and lets running requests end within Grace,
//  3. cancels the contexts of the remaining requests,
//  4. closes all connections,
//  5. waits for the verbs that still run, again within Grace.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	log := s.logger()
	running := &sync.WaitGroup{}
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	shutdown, leave := context.WithCancel(base)
	defer leave()
	open := newConnections()
	server := &http.Server{
		Handler:           s.handler(shutdown, running),
		ConnState:         open.track,
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext:       withConn,
		MaxHeaderBytes:    maxHead,
		ReadHeaderTimeout: headTime,
		IdleTimeout:       idleTime,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(sockets.CheckPeers(l, log)) }()
	select {
	case err := <-failed:
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	}
	if s.Unlink != nil {
		s.Unlink()
		awaitEmpty(l, s.grace())
	}
	// http.Server tracks a connection only after Accept has returned it. Wait until the server's
	// accept loop has ended, so that no connection is missed.
	err := l.Close()
	if accepting := <-failed; !errors.Is(accepting, net.ErrClosed) {
		err = errors.Join(err, accepting)
	}
	graceful, release := context.WithTimeout(base, s.grace())
	defer release()
	open.end()
	await(graceful, open.answers)
	if s.OnIdleConnsClosed != nil {
		s.OnIdleConnsClosed()
	}
	leave()
	await(graceful, open.gone)
	cancel()
	err = errors.Join(err, server.Close())
	return errors.Join(err, s.waitFor(running))
}

// waitFor waits until the cancelled verbs have ended. It returns an error if a verb ignores
// the end of its context for longer than the grace period.
func (s *Server) waitFor(running *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() {
		running.Wait()
		close(done)
	}()
	late := time.NewTimer(s.grace())
	defer late.Stop()
	select {
	case <-done:
		return nil
	case <-late.C:
		return errors.New("waiting for running verbs: one did not end after its context was cancelled")
	}
}

func (s *Server) grace() time.Duration {
	if s.Grace == 0 {
		return defaultGrace
	}
	return s.Grace
}

// Handler returns the handler of hello, retire, the verbs, Locks and Extra. It refuses all
// requests from web pages. Verbs and locks also refuse requests for another session, protocol
// or build, except that verbs with [wire.Spec.EndsServer] accept any protocol and build. The
// context of a verb ends when its client disconnects or shortly before the client's deadline.
func (s *Server) Handler() http.Handler { return s.handler(context.Background(), &sync.WaitGroup{}) }

func (s *Server) handler(shutdown context.Context, running *sync.WaitGroup) http.Handler {
	verbs := make(map[string]wire.Handler, len(s.Handlers))
	for _, h := range s.Handlers {
		verbs[h.Verb.Describe().Path()] = h
	}
	holdings := make(map[string]Lock, len(s.Locks))
	for _, h := range s.Locks {
		holdings[h.Path] = h
	}
	extra := http.NewServeMux()
	for pattern, h := range s.Extra {
		extra.Handle(pattern, h)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := r.Header["Origin"]; ok {
			refuse(http.StatusForbidden, wire.CodeForbidden, "requests from web pages are refused").respond(w, r)
			return
		}
		held, isHolding := holdings[r.URL.Path]
		switch h, isVerb := verbs[r.URL.Path]; {
		case isHolding:
			s.serveHolding(shutdown, w, r, held)
		case r.URL.Path == wire.PathHello:
			s.serveHello(w, r)
		case r.URL.Path == wire.PathRetire:
			s.serveRetire(w, r)
		case isVerb:
			running.Add(1)
			defer running.Done()
			s.serveVerb(w, r, h)
		default:
			if _, pattern := extra.Handler(r); pattern != "" {
				// An earlier response on this connection may have left a write deadline.
				_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
				extra.ServeHTTP(w, r)
				return
			}
			no := refusal{err: wire.Errorf(wire.CodeUnknownVerb, "this server has no %s", shorten(r.URL.Path)).WithHint("abrowser help lists the commands")}
			no.respond(w, r)
		}
	})
}

func (s *Server) serveHello(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		refuse(http.StatusMethodNotAllowed, wire.CodeBadInput, "%s takes GET", wire.PathHello).respond(w, r)
		return
	}
	respond(w, http.StatusOK, s.Hello())
}

// serveRetire does not check the client's protocol and build: a client asks a server to
// retire because these differ.
func (s *Server) serveRetire(w http.ResponseWriter, r *http.Request) {
	if refusal := checkForm(r); refusal != nil {
		refusal.respond(w, r)
		return
	}
	err := error(wire.Errorf(wire.CodeUnknownVerb, "this server does not retire"))
	if s.Retire != nil {
		err = s.Retire()
	}
	if err != nil {
		respondError(w, err, 0)
		return
	}
	s.logger().Info("retiring")
	respond(w, http.StatusOK, wire.Reply{Data: []byte("{}")})
}

func (s *Server) logger() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}

func shorten(path string) string {
	const most = 100
	if len(path) > most {
		return path[:most] + "..."
	}
	return path
}
