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
		{"in place of a stale one", true, Await},
		{"without watches", true, awaitByAsking},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "a")
			if tt.stale {
				dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
				must(t, err)
				dead.SetUnlinkOnClose(false)
				must(t, dead.Close())
			}
			woken := make(chan error, 10)
			var wg sync.WaitGroup
			for range cap(woken) {
				wg.Go(func() { woken <- tt.await(soon(t), p) })
			}
			select {
			case err := <-woken:
				t.Fatalf("Await() = %v before anybody listened", err)
			case <-time.After(50 * time.Millisecond):
			}
			began := time.Now()
			listen(t, p)
			wg.Wait()
			close(woken)
			for err := range woken {
				if err != nil {
					t.Errorf("Await() = %v", err)
				}
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("Await woke after %v", took)
			}
			if err := tt.await(soon(t), p); err != nil {
				t.Errorf("Await() where somebody listens = %v", err)
			}
		})
	}
}

func TestAwaitGivesUp(t *testing.T) {
	p := newPlace(t, "a")
	brief, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	err := Await(brief, p)
	if !errors.Is(err, wire.CodeTimeout) || !strings.Contains(wire.AsError(err).Hint, p.Log) {
		t.Errorf("Await() = %v, want %s with the log", err, wire.CodeTimeout)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := Await(stopped, p); !errors.Is(err, wire.CodeInterrupted) {
		t.Errorf("Await() = %v, want %s", err, wire.CodeInterrupted)
	}
}

// Between its file's appearance and its listening lies a time without an event.
func TestAwaitAsksAgainWhatIsBoundOnly(t *testing.T) {
	p := newPlace(t, "a")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	must(t, err)
	defer func() { must(t, unix.Close(fd)) }()
	woken := make(chan error, 1)
	go func() { woken <- Await(soon(t), p) }()
	time.Sleep(30 * time.Millisecond)
	must(t, unix.Bind(fd, &unix.SockaddrUnix{Name: p.Socket}))
	time.Sleep(60 * time.Millisecond)
	must(t, unix.Listen(fd, 5))
	if err := <-woken; err != nil {
		t.Errorf("Await() = %v", err)
	}
}

// One event is enough.
func TestAwaitSeesASocketMovedIn(t *testing.T) {
	p := newPlace(t, "a")
	woken := make(chan error, 1)
	go func() { woken <- Await(soon(t), p) }()
	time.Sleep(30 * time.Millisecond)
	other := p
	other.Socket, other.Lock = p.Socket+"x", p.Lock+"x"
	listen(t, other)
	must(t, os.Rename(other.Socket, p.Socket)) // one event only, and no mode is set afterwards
	if err := <-woken; err != nil {
		t.Errorf("Await() = %v", err)
	}
}
