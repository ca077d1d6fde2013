// Package site serves the pages that abrowser's tests browse: forms, logins, popups, frames of
// the same and of another origin, dialogs, and every way in which a server or a page can be
// late, stuck or gone.
//
// The site is a web server on loopback that depends on no browser, daemon or command. It counts
// what really happens in its pages. The tests of daemon and cmd/abrowser read these counts with
// [Site.Requests] and [Site.Count], so that they need not trust abrowser's own reports.
//
// Every handler ends when the client disconnects or the site is closed, so a page that never
// responds delays no test.
package site

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

//go:embed pages
var pages embed.FS

// Site is a running fixture site. It serves the same pages on two origins, whose
// hosts and ports differ.
type Site struct {
	own, cross string
	server     *http.Server
	served     sync.WaitGroup
	templates  *template.Template

	mu       sync.Mutex // guards the fields below
	requests map[string]int
	counts   map[string]int
	gates    map[string]chan struct{}
	meetings map[string]*meeting
	chat     []string // the messages
}

// Start runs a site that is closed when the test ends.
func Start(t testing.TB) *Site {
	t.Helper()
	s, err := New()
	if err != nil {
		t.Fatalf("starting the fixture site: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// New runs a site. Close ends it.
func New() (*Site, error) {
	templates, err := template.ParseFS(pages, "pages/*.html")
	if err != nil {
		return nil, err
	}
	s := &Site{
		templates: templates,
		requests:  map[string]int{}, counts: map[string]int{},
		gates: map[string]chan struct{}{}, meetings: map[string]*meeting{},
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.server = &http.Server{
		Handler:           s.counted(s.routes()),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	s.server.RegisterOnShutdown(cancel)
	for _, origin := range []struct {
		url  *string
		host string
	}{{&s.own, "127.0.0.1"}, {&s.cross, "localhost"}} {
		var config net.ListenConfig
		l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			s.Close()
			return nil, err
		}
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			s.Close()
			return nil, err
		}
		*origin.url = "http://" + net.JoinHostPort(origin.host, port)
		s.served.Go(func() {
			if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				panic(err) // a listener on loopback does not fail by itself
			}
		})
	}
	return s, nil
}

// Close ends the site and every request that is still delayed.
func (s *Site) Close() {
	// Shutdown runs the function that was passed to RegisterOnShutdown, and that function ends the
	// delayed requests. Shutdown does not wait for them, because its context has ended.
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = s.server.Shutdown(ended)
	_ = s.server.Close()
	s.served.Wait()
}

// URL returns the URL of a path, which starts with a slash, on the site's first origin.
func (s *Site) URL(path string) string { return s.own + path }

// CrossURL returns the URL of a path on the site's other origin. The other origin has another
// host. Therefore a browser runs a page of one origin and a page of the other in two processes.
func (s *Site) CrossURL(path string) string { return s.cross + path }

// Requests returns how many requests have come for a path, whatever their query was.
func (s *Site) Requests(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[path]
}

// Count returns how often pages have reported a name: "late-click" for a click on #late,
// "late-shown" when #late appeared, and so on.
func (s *Site) Count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[name]
}

// Open opens a gate, which stays open. Requests that wait at the gate go on, and later requests do
// not wait.
func (s *Site) Open(gate string) {
	c := s.gate(gate)
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-c:
	default:
		close(c)
	}
}

func (s *Site) gate(name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.gates[name]
	if !ok {
		c = make(chan struct{})
		s.gates[name] = c
	}
	return c
}

func (s *Site) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests[r.URL.Path]++
		s.mu.Unlock()
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
