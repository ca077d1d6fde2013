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
	headTime     = 5 * time.Second  // for a request's head to come
	bodyTime     = 30 * time.Second // for its body to come, and for its reply to be taken
	idleTime     = 10 * time.Minute // for a connection without a request
	defaultGrace = 5 * time.Second
)

// Server answers requests on a daemon's or broker's socket. Hello is required.
type Server struct {
	Hello    func() wire.Hello       // never blocks
	Retire   func() error            // begins the end when idle, else [wire.CodeBusy]; nil: never
	Handlers []wire.Handler          // the verbs
	Holdings []Holding               // what callers may have for a time
	Extra    map[string]http.Handler // what is no verb, by pattern of [http.ServeMux]
	Log      *slog.Logger            // nil: discard
	Build    string                  // when set, requests that name another build are refused
	Grace    time.Duration           // for running requests at the end of Serve; 0: 5 s
	Leave    func()                  // takes the socket away at the end of Serve; nil: that is another's business
	Quiet    func()                  // called when who keeps a connection for later has been hung up on; nil: nobody
}

// Serve answers requests on l until ctx ends or l fails. It takes connections of
// our own user only and closes l. Hijacked connections are their handler's own,
// which learns of the end by the context of its request. The end is:
//
//  1. the socket is taken away, and who found it before is let in
//  2. nothing more is accepted, connections without a request are closed, and running
//     requests may end within Grace
//  3. the contexts of those that did not end are cancelled
//  4. all connections are closed
//  5. verbs that still run are waited for, within Grace again
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	log := s.logger()
	running := &sync.WaitGroup{}
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	leaving, leave := context.WithCancel(base)
	defer leave()
	server := &http.Server{
		Handler:           s.handler(leaving, running),
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext:       withConn,
		MaxHeaderBytes:    maxHead,
		ReadHeaderTimeout: headTime,
		IdleTimeout:       idleTime,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	server.RegisterOnShutdown(leave)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(sockets.CheckPeers(l, log)) }()
	select {
	case err := <-failed:
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	}
	if s.Leave != nil {
		s.Leave()
		awaitEmpty(l, s.grace())
	}
	// The server knows of everybody who was let in only when it accepts no more.
	err := l.Close()
	if accepting := <-failed; !errors.Is(accepting, net.ErrClosed) {
		err = errors.Join(err, accepting)
	}
	server.SetKeepAlivesEnabled(false)
	if s.Quiet != nil {
		s.Quiet()
	}
	ending := within(base, s.grace(), server.Shutdown)
	cancel()
	err = errors.Join(err, ignore(ending, context.DeadlineExceeded), server.Close())
	return errors.Join(err, s.waitFor(running))
}

// waitFor waits for the verbs that were cancelled. One that does not heed its
// context is left behind and told of.
func (s *Server) waitFor(running *sync.WaitGroup) error {
	gone := make(chan struct{})
	go func() {
		running.Wait()
		close(gone)
	}()
	late := time.NewTimer(s.grace())
	defer late.Stop()
	select {
	case <-gone:
		return nil
	case <-late.C:
		return errors.New("a verb does not end though its context has")
	}
}

func (s *Server) grace() time.Duration {
	if s.Grace == 0 {
		return defaultGrace
	}
	return s.Grace
}

func within(ctx context.Context, d time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return do(ctx)
}

func ignore(err, target error) error {
	if errors.Is(err, target) {
		return nil
	}
	return err
}

// Handler answers hello, retire, the verbs and Extra. A request from a web page
// is refused, and so is one for another session, protocol or build. The context
// of a verb ends when its caller hangs up or when the time the caller gave is
// about to be over.
func (s *Server) Handler() http.Handler { return s.handler(context.Background(), &sync.WaitGroup{}) }

func (s *Server) handler(leaving context.Context, running *sync.WaitGroup) http.Handler {
	verbs := make(map[string]wire.Handler, len(s.Handlers))
	for _, h := range s.Handlers {
		verbs[h.Verb.Describe().Path()] = h
	}
	holdings := make(map[string]Holding, len(s.Holdings))
	for _, h := range s.Holdings {
		holdings[h.Path] = h
	}
	extra := http.NewServeMux()
	for pattern, h := range s.Extra {
		extra.Handle(pattern, h)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := r.Header["Origin"]; ok {
			answerError(w, wire.Errorf(wire.CodeForbidden, "web pages may not ask"), http.StatusForbidden)
			return
		}
		held, isHolding := holdings[r.URL.Path]
		switch h, isVerb := verbs[r.URL.Path]; {
		case isHolding:
			s.serveHolding(leaving, w, r, held)
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
				// An answer before this one on the same connection may have left a deadline.
				_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
				extra.ServeHTTP(w, r)
				return
			}
			answerError(w, wire.Errorf(wire.CodeUnknownVerb, "this server has no %s", shorten(r.URL.Path)).
				WithHint("abrowser help lists the commands"), 0)
		}
	})
}

func (s *Server) serveHello(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		answerError(w, wire.Errorf(wire.CodeBadInput, "%s is asked by GET", wire.PathHello), http.StatusMethodNotAllowed)
		return
	}
	answer(w, http.StatusOK, s.Hello())
}

// serveRetire does not look at protocol and build: that they differ is why a
// server is asked to retire.
func (s *Server) serveRetire(w http.ResponseWriter, r *http.Request) {
	if refusal := checkForm(r); refusal != nil {
		refusal.answer(w)
		return
	}
	err := error(wire.Errorf(wire.CodeUnknownVerb, "this server does not retire"))
	if s.Retire != nil {
		err = s.Retire()
	}
	if err != nil {
		answerError(w, err, 0)
		return
	}
	s.logger().Info("retiring")
	answer(w, http.StatusOK, wire.Reply{Data: []byte("{}")})
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
