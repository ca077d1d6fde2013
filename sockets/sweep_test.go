package sockets

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/abrowser/abrowser/sockets/home"
)

// Sweep removes the socket of a daemon that was killed, and neither one on which a daemon
// listens nor one whose daemon is being started.
func TestSweep(t *testing.T) {
	r := newRoot(t)
	place := func(name string) (home.Endpoint, *Lease) {
		p, err := r.Session(name)
		if err != nil {
			t.Fatal(err)
		}
		l, err := TryAcquire(p.Lock)
		if err != nil {
			t.Fatal(err)
		}
		listener, err := Listen(p, l)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close(); l.Close() })
		if name != "lives" {
			listener.Close()
			l.Close()
		}
		return p, l
	}
	killed, _ := place("killed")
	lives, _ := place("lives")
	starting, _ := place("starting")
	start, err := TryAcquire(starting.Start)
	if err != nil {
		t.Fatal(err)
	}
	defer start.Close()
	if err := Sweep(r); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(killed.Socket); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket of a killed daemon: %v", err)
	}
	for _, p := range []home.Endpoint{lives, starting} {
		if _, err := os.Lstat(p.Socket); err != nil {
			t.Error(err)
		}
	}
}
