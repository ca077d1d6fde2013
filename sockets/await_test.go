package sockets

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestAwait(t *testing.T) {
	tests := []struct {
		name  string
		stale bool
		await func(context.Context, home.Endpoint) error
	}{
		{"a new socket", false, Await},
		{"a socket that replaces a stale one", true, Await},
		{"without inotify", true, func(ctx context.Context, e home.Endpoint) error {
			return await(ctx, e, func(string) (*fsnotify.Watcher, error) { return nil, unix.EMFILE })
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEndpoint(t, "a")
			if tt.stale {
				dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: e.Socket, Net: "unix"})
				must(t, err)
				dead.SetUnlinkOnClose(false)
				must(t, dead.Close())
			}
			woken := make(chan error, 10)
			var wg sync.WaitGroup
			for range cap(woken) {
				wg.Go(func() { woken <- tt.await(soon(t), e) })
			}
			select {
			case err := <-woken:
				t.Fatalf("Await() = %v before a server listened", err)
			case <-time.After(50 * time.Millisecond):
			}
			began := time.Now()
			listen(t, e)
			wg.Wait()
			close(woken)
			for err := range woken {
				if err != nil {
					t.Errorf("Await() = %v", err)
				}
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("Await returned after %v", took)
			}
			if err := tt.await(soon(t), e); err != nil {
				t.Errorf("Await() while a server listens = %v", err)
			}
		})
	}
}

func TestAwaitGivesUp(t *testing.T) {
	e := newEndpoint(t, "a")
	brief, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	err := Await(brief, e)
	if !errors.Is(err, wire.CodeTimeout) || !strings.Contains(wire.AsError(err).Hint, e.Log) {
		t.Errorf("Await() = %v, want %s with the log", err, wire.CodeTimeout)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := Await(stopped, e); !errors.Is(err, wire.CodeInterrupted) {
		t.Errorf("Await() = %v, want %s", err, wire.CodeInterrupted)
	}
}

// Await retries after the socket file has appeared, because the system sends no file event when
// the bound socket starts to listen.
func TestAwaitRetriesABoundSocket(t *testing.T) {
	e := newEndpoint(t, "a")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(t, err)
	defer func() { must(t, unix.Close(fd)) }()
	woken := make(chan error, 1)
	go func() { woken <- Await(soon(t), e) }()
	time.Sleep(30 * time.Millisecond)
	must(t, unix.Bind(fd, &unix.SockaddrUnix{Name: e.Socket}))
	time.Sleep(60 * time.Millisecond)
	must(t, unix.Listen(fd, 5))
	if err := <-woken; err != nil {
		t.Errorf("Await() = %v", err)
	}
}

func TestAwaitNoticesARenamedSocket(t *testing.T) {
	e := newEndpoint(t, "a")
	woken := make(chan error, 1)
	go func() { woken <- Await(soon(t), e) }()
	time.Sleep(30 * time.Millisecond)
	other := e
	other.Socket, other.Lock = e.Socket+"x", e.Lock+"x"
	listen(t, other)
	must(t, os.Rename(other.Socket, e.Socket)) // causes a single event, since no chmod follows
	if err := <-woken; err != nil {
		t.Errorf("Await() = %v", err)
	}
}
