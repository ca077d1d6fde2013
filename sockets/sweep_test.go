package sockets

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/abrowser/abrowser/sockets/home"
)

// Sweep removes the socket of a killed daemon. It keeps the sockets of a running daemon and
// of a daemon that is being started.
func TestSweep(t *testing.T) {
	r := newRoot(t)
	endpoint := func(name string) (home.Endpoint, *Lease) {
		e, err := r.Session(name)
		if err != nil {
			t.Fatal(err)
		}
		l, err := TryAcquire(e.Lock)
		if err != nil {
			t.Fatal(err)
		}
		listener, err := Listen(e, l)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close(); l.Close() })
		if name != "alive" {
			listener.Close()
			l.Close()
		}
		return e, l
	}
	killed, _ := endpoint("killed")
	alive, _ := endpoint("alive")
	starting, _ := endpoint("starting")
	start, err := TryAcquire(starting.Start)
	if err != nil {
		t.Fatal(err)
	}
	defer start.Close()
	if err := Sweep(r); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{killed.Socket, killed.Lock, killed.Start} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Lstat of a killed daemon's %s = %v, want %v", path, err, fs.ErrNotExist)
		}
	}
	for _, e := range []home.Endpoint{alive, starting} {
		if _, err := os.Lstat(e.Socket); err != nil {
			t.Error(err)
		}
	}
}
