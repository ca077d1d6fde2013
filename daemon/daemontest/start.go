// Package daemontest runs real daemons for tests: on a real socket, through the typed client,
// with a real browser and its real broker.
//
// A test binary is also the program that the launcher starts in place of abrowser. Its TestMain
// calls [Run]. If the process was started as a keeper, a broker or a driver, Run runs that role.
// Otherwise Run runs the tests, with one browser for all of them. The daemons run inside the
// process of the tests. At the end Run stops everything, and fails if something is left.
package daemontest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web"
	"github.com/abrowser/abrowser/launcher"
	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/launcher/install"
	"github.com/abrowser/abrowser/launcher/install/installtest"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	setUpTime = 5 * time.Minute // a new machine first downloads the driver
	endTime   = 30 * time.Second
)

// Home is the root directory that the tests of one binary share. They also share its browser.
type Home struct {
	Root       home.Root
	Drivers    driver.Shared // the drivers that the daemons share
	OwnDrivers bool          // if set, daemons that start from now on do not share their drivers
	launcher   *launcher.Launcher
	last       atomic.Int64
	process    sync.Mutex
}

// Run does the work of a TestMain, and returns the exit status. It sets *home for the tests.
func Run(m *testing.M, home **Home) int {
	if handled, status := roles(os.Args[1:]); handled {
		return status
	}
	h, err := newHome()
	if err != nil {
		fmt.Fprintln(os.Stderr, "preparing the tests:", err)
		return 1
	}
	*home = h
	// Run up to 4 parallel tests at a time on any machine, because they wait more than they
	// compute.
	if err := flag.Set("test.parallel", "4"); err != nil {
		fmt.Fprintln(os.Stderr, "preparing the tests:", err)
		return 1
	}
	status := m.Run()
	if err := h.end(); err != nil {
		fmt.Fprintln(os.Stderr, "after the tests:", err)
		return 1
	}
	return status
}

func newHome() (*Home, error) {
	// Not below $TMPDIR, since the path of a socket must be short.
	dir, err := os.MkdirTemp("/tmp", "abd")
	if err != nil {
		return nil, err
	}
	// Without this variable, the browser's sound library leaves a directory in /tmp.
	if err := os.Setenv("PULSE_RUNTIME_PATH", filepath.Join(dir, "pulse")); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	h := &Home{Root: home.Root{Dir: filepath.Join(dir, "r")}}
	h.Drivers = driver.Shared{Root: h.Root, Linger: 2 * time.Second}
	h.launcher = &launcher.Launcher{Root: h.Root}
	ctx, cancel := context.WithTimeout(context.Background(), setUpTime)
	defer cancel()
	found, err := installtest.Driver(ctx)
	if err == nil {
		err = os.Setenv("ABROWSER_DRIVER_PATH", found)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return h, nil
}

func (h *Home) installer() *install.Installer { return h.launcher.Installer() }

// Broker returns where the broker of the tests' browser listens.
func (h *Home) Broker(t testing.TB) home.Endpoint {
	t.Helper()
	place, err := h.Root.BrowserOf(wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return place
}

// Session is a daemon that runs in the test's process, and a client of it.
type Session struct {
	*client.Client
	Name string
	Home *Home

	stop func()
	done chan error
}

// Start runs a daemon for a new session. When the test is over, the daemon is ended and the
// session's tabs are closed.
func (h *Home) Start(t testing.TB) *Session {
	t.Helper()
	s := h.Resume(t, fmt.Sprintf("s%d", h.last.Add(1)))
	t.Cleanup(func() { h.discard(t, s.Name) })
	return s
}

// Resume runs a daemon for the session with the given name. The session may have had another
// daemon before. When the test is over, the daemon is ended and the session's tabs stay open.
func (h *Home) Resume(t testing.TB, name string) *Session {
	t.Helper()
	place, err := h.Root.Session(name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	s := &Session{Name: name, Home: h, stop: stop, done: make(chan error, 1)}
	ready := make(chan error, 1)
	go func() { s.done <- daemon.Run(ctx, h.options(name, t, func(err error) { ready <- err })) }()
	if err := <-ready; err != nil {
		stop()
		t.Fatal(err)
	}
	s.Client = client.Client{Endpoint: place, Session: name}.KeepAlive()
	t.Cleanup(func() { s.End(t) })
	return s
}

func (h *Home) options(name string, t testing.TB, ready func(error)) daemon.Options {
	return daemon.Options{
		Root: h.Root, Session: name, Ready: ready, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Browser: func(ctx context.Context) (home.Endpoint, error) {
			place, _, err := h.launcher.Browser(ctx, wire.Settings{})
			return place, err
		},
		Backend: web.New(func(ctx context.Context) (web.Driver, error) {
			found, err := driver.Find(ctx, h.installer())
			d := web.Driver{Directory: found.Directory, Node: found.Node, Process: &h.process}
			if !h.OwnDrivers {
				d.Join = func(ctx context.Context) (*driver.Conn, error) { return h.Drivers.Connect(ctx, found) }
			}
			return d, err
		}),
	}
}

// End ends the daemon as a signal would, and waits for its end. The session's tabs stay open.
// End may be called again.
func (s *Session) End(t testing.TB) {
	t.Helper()
	if s.done == nil {
		return
	}
	_ = s.Close() // no command uses its connections any more
	s.stop()
	select {
	case err := <-s.done:
		if err != nil {
			t.Errorf("the daemon of %s ended with %v", s.Name, err)
		}
	case <-time.After(endTime):
		t.Errorf("the daemon of %s does not end", s.Name)
	}
	s.done = nil
}

// discard closes the session's tabs.
func (h *Home) discard(t testing.TB, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	c := client.Client{Endpoint: h.Broker(t), Session: name}.KeepAlive()
	defer func() { _ = c.Close() }() // its error does not matter
	_, _, err := client.Do(ctx, c, verbs.BrokerRelease, verbs.ReleaseIn{Session: name, Page: true, Force: true})
	if err != nil && !errors.Is(err, wire.CodeNotRunning) {
		t.Errorf("closing the tabs of %s: %v", name, err)
	}
}
