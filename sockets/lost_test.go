package sockets

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestLost(t *testing.T) {
	for name, take := range map[string]func(p Place) error{
		"socket":    func(p Place) error { return os.Remove(p.Socket) },
		"lock file": func(p Place) error { return os.Remove(p.Lock) },
		"root":      func(p Place) error { return os.RemoveAll(Root{Dir: p.Socket}.Path("..", "..", "..")) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, "a")
			_, l := listen(t, p)
			lost := make(chan error, 1)
			go func() { lost <- p.Lost(soon(t), l) }()
			must(t, os.WriteFile(p.Socket+".other", nil, 0o600)) // is nothing to it
			select {
			case err := <-lost:
				t.Fatalf("Lost() = %v while all is there", err)
			case <-time.After(50 * time.Millisecond):
			}
			must(t, take(p))
			if err := <-lost; err != nil {
				t.Errorf("Lost() = %v", err)
			}
		})
	}
}

func TestLostEnds(t *testing.T) {
	p := newPlace(t, "a")
	_, l := listen(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Lost(ctx, l); !errors.Is(err, wire.CodeInterrupted) {
		t.Errorf("Lost() = %v, want %s", err, wire.CodeInterrupted)
	}
}
