package loopback

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	defaultHeadTime = 10 * time.Second // for a client to send the head of a request
	bodyTime        = 30 * time.Second // to read a request and write its response
	idleTime        = time.Minute      // for a connection to send its next request
	graceTime       = time.Second      // for running requests to end when the server ends
	maxHead         = 16 << 10         // bytes of a request's head; net/http adds 4 KiB
	usualBody       = 1 << 20          // bytes of a request's body, without Options.MaxBody
	maxClients      = 256              // open connections; the server closes any further ones
)

// Options are the options of a [Server].
type Options struct {
	Port int // 0 means a free port

	// Handler gets the requests that are allowed, without the token in their paths. The context of
	// a request is cancelled when the server ends, also for a connection that Handler has hijacked.
	// Required.
	Handler http.Handler

	// DevTools allows requests of Chromium's own DevTools, whose origin no web page and no extension
	// can have.
	DevTools bool

	MaxBody int64 // the largest body of a request in bytes; 0 means 1 MiB

	Log *slog.Logger // nil means no log
}

// Server serves HTTP on a port of 127.0.0.1.
type Server struct {
	o        Options
	log      *slog.Logger
	listener net.Listener
	token    string
	port     string
	headTime time.Duration // see defaultHeadTime

	mu      sync.Mutex // guards the fields below
	ended   bool
	running sync.WaitGroup // calls of Handler, also those that have hijacked their connection
}

// Listen opens the port. The caller must then call [Server.Serve] or [Server.Close]. Listen returns
// [wire.CodeHeld] if the port is in use, and [wire.CodeBadInput] if the port is not from 0 to
// 65535.
func Listen(ctx context.Context, o Options) (*Server, error) {
	if o.Port < 0 || o.Port > 65535 {
		return nil, wire.Errorf(wire.CodeBadInput, "the port is %d, and has to be between 0 and 65535", o.Port)
	}
	s := &Server{o: o, log: o.Log, headTime: defaultHeadTime}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // never fails
	s.token = hex.EncodeToString(secret)
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if errors.Is(err, unix.EADDRINUSE) {
		return nil, wire.Errorf(wire.CodeHeld, "listening on port %d: the port is in use", o.Port).WithHint("without --port, a free port is used")
	}
	if err != nil {
		return nil, wire.OSError("listening on port "+strconv.Itoa(o.Port), err)
	}
	at, err := netip.ParseAddrPort(listener.Addr().String())
	if err != nil {
		listener.Close()
		return nil, err
	}
	s.port = strconv.Itoa(int(at.Port()))
	s.listener = Own(listener, maxClients, s.log)
	return s, nil
}

// URL returns the server's URL with a scheme such as http or ws. The URL contains the token and
// ends without a slash. A client needs nothing but the URL, so the URL must not be logged.
func (s *Server) URL(scheme string) string { return scheme + "://127.0.0.1:" + s.port + "/" + s.token }

// Close closes the port of a server that has not called Serve.
func (s *Server) Close() { _ = s.listener.Close() }

// Serve serves requests until ctx ends. Serve then does the following, and returns nil:
//
//  1. It closes the port, so that no client can connect.
//  2. It cancels the contexts of running requests.
//  3. It waits up to graceTime for their responses, and then closes their connections.
//  4. It waits for handlers that have hijacked their connections.
func (s *Server) Serve(ctx context.Context) error {
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	srv := &http.Server{
		Handler: http.HandlerFunc(s.serve), BaseContext: func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: s.headTime, ReadTimeout: bodyTime, WriteTimeout: bodyTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHead,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(s.listener) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		s.Close()
		cancel()
		grace, stop := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
		defer stop()
		if srv.Shutdown(grace) != nil {
			srv.Close()
		}
		<-ended
	}
	cancel()
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.running.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// begin counts a call of the handler in s.running, and returns true. If the server has ended, begin
// only returns false.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.running.Add(1)
	return true
}
