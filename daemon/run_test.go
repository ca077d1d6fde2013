package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The daemon checks its socket when the broker reports that the socket was removed, and when the
// daemon loses its connection to the browser. It ends if the socket is gone, and continues if the
// socket still exists.
func TestDaemonEndsWithItsSocket(t *testing.T) {
	for name, check := range map[string]func(*session){
		"reported":        func(s *session) { s.memory.session.CheckSocket() },
		"connection lost": func(s *session) { s.lose() },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			eval(t, s, "connects")
			check(s)
			eval(t, s, "goes on")
			if err := os.Remove(s.place.Socket); err != nil {
				t.Fatal(err)
			}
			check(s)
			s.awaitEnd(t)
		})
	}
}

// The daemon also ends if its socket is removed while it waits for its turn to connect again.
func TestDaemonEndsWithItsSocketBeforeItReconnects(t *testing.T) {
	s := start(t)
	eval(t, s, "connects")
	release := make(chan struct{})
	s.script(func(context.Context, *daemon.Call, string) error { <-release; return nil })
	running := make(chan struct{})
	go func() {
		defer close(running)
		_, _, _ = ask(t, s, verbs.Eval, verbs.EvalIn{Script: "a"}) // the daemon may end before it replies
	}()
	awaitStatus(t, s, isBusy)
	s.lose()
	awaitStatus(t, s, func(st verbs.StatusOut) bool { return st.Waiting == 1 })
	if err := os.Remove(s.place.Socket); err != nil {
		t.Fatal(err)
	}
	close(release)
	<-running
	s.awaitEnd(t)
}

// A daemon that ends leaves no file in the directory of the sockets.
func TestNoFileStaysAfterTheEnd(t *testing.T) {
	s := start(t)
	eval(t, s, "connects")
	if _, err := os.Lstat(s.place.Lock); err != nil {
		t.Fatal(err)
	}
	do(t, s, verbs.Close, verbs.CloseIn{})
	s.awaitEnd(t)
	for _, path := range []string{s.place.Socket, s.place.Lock, s.place.Start} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Lstat(%s) = %v, want %v", path, err, fs.ErrNotExist)
		}
	}
}

// When the reply to a command that ends the daemon arrives, the daemon's socket has been removed.
// The caller's next command therefore does not reach this daemon.
func TestSocketIsRemovedBeforeTheReply(t *testing.T) {
	refused := errors.New("the browser does not start")
	for name, end := range map[string]func(*testing.T, *session) error{
		"browser does not start": func(t *testing.T, s *session) error {
			if _, _, err := ask(t, s, verbs.GetURL, verbs.TabIn{}); err == nil || err.Error() != refused.Error() {
				return fmt.Errorf("the command = %w, want %w", err, refused)
			}
			return nil
		},
		"retire": func(t *testing.T, s *session) error {
			return (&client.Client{Endpoint: s.place}).Retire(t.Context())
		},
		"close": func(t *testing.T, s *session) error {
			_, _, err := ask(t, s, verbs.Close, verbs.CloseIn{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			const rounds = 60 // the end of the daemon and the reply take about the same time
			for range rounds {
				s := start(t, func(o *daemon.Options, _ *memory) {
					o.Browser = func(context.Context) (home.Endpoint, error) { return home.Endpoint{}, refused }
				})
				if err := end(t, s); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Lstat(s.place.Socket); !errors.Is(err, fs.ErrNotExist) {
					t.Fatalf("after the reply, Lstat of the socket = %v, want %v", err, fs.ErrNotExist)
				}
				s.awaitEnd(t)
			}
		})
	}
}

func TestRetire(t *testing.T) {
	s := start(t)
	release := make(chan struct{})
	s.script(func(context.Context, *daemon.Call, string) error { <-release; return nil })
	busy := make(chan error, 1)
	go func() {
		_, _, err := ask(t, s, verbs.Eval, verbs.EvalIn{Script: "a"})
		busy <- err
	}()
	awaitStatus(t, s, isBusy)
	caller := &client.Client{Endpoint: s.place}
	if err := caller.Retire(t.Context()); !errors.Is(err, wire.CodeBusy) {
		t.Errorf("retire while busy = %v", err)
	}
	close(release)
	if err := <-busy; err != nil {
		t.Errorf("the command that ran = %v", err)
	}
	if err := caller.Retire(t.Context()); err != nil {
		t.Errorf("retire when idle = %v", err)
	}
	s.awaitEnd(t)
}

func TestForeignRequests(t *testing.T) {
	s := start(t)
	c := client.Client{Endpoint: s.place, Session: "another"}.KeepAlive()
	defer func() { _ = c.Close() }()
	if _, _, err := client.Do(t.Context(), c, verbs.GetURL, verbs.TabIn{}); err == nil {
		t.Error("a request for another session was served")
	}
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "unix", s.place.Socket)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte(strings.Repeat("garbage\n", 1<<16))); err == nil {
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		_, _ = conn.Read(make([]byte, 1)) // a response or the end of the connection
	}
	_ = conn.Close()
	if got := do(t, s, verbs.Status, verbs.Empty{}); got.PID != os.Getpid() {
		t.Errorf("status = %+v", got)
	}
}

// The browser and the backend's driver start at the same time. In this test each start waits until
// the other has begun. During both starts the session's state is "starting".
func TestBrowserAndBackendStartTogether(t *testing.T) {
	browser, backend := make(chan struct{}), make(chan struct{})
	meet := func(ctx context.Context, mine, other chan struct{}) error {
		close(mine)
		select {
		case <-other:
			return errors.New("both are being started")
		case <-time.After(patience / 2):
			return errors.New("the other is not being started")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	status := make(chan string, 1)
	s := start(t, func(o *daemon.Options, m *memory) {
		m.prepare = func(ctx context.Context) error { return meet(ctx, backend, browser) }
		place, err := o.Root.Session("s")
		if err != nil {
			t.Fatal(err)
		}
		o.Browser = func(ctx context.Context) (home.Endpoint, error) {
			err := meet(ctx, browser, backend)
			c := client.Client{Endpoint: place}.KeepAlive()
			defer func() { _ = c.Close() }()
			out, _, _ := client.Do(ctx, c, verbs.Status, verbs.Empty{})
			status <- out.State
			return home.Endpoint{}, err
		}
	})
	if _, _, err := ask(t, s, verbs.GetURL, verbs.TabIn{}); err == nil || err.Error() != "both are being started" {
		t.Errorf("the first command fails with %v", err)
	}
	if got := <-status; got != "starting" {
		t.Errorf("while the browser starts the session's state is %q, want starting", got)
	}
	// A daemon that never had a browser ends, so that the next one may have other settings.
	s.awaitEnd(t)
}

func TestIdleDaemonEnds(t *testing.T) {
	s := start(t)
	s = s.by(t, client.Client{Settings: wire.Settings{IdleTimeout: "50ms"}}).with(s)
	eval(t, s, "a")
	s.awaitEnd(t)
}

// with moves the done channel of the other session to s, and returns s. After that, s.awaitEnd
// waits for the daemon of the other session.
func (s *session) with(other *session) *session {
	s.done, other.done = other.done, nil
	return s
}
