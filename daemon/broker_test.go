package daemon

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/server"
	"github.com/abrowser/abrowser/sockets/wire"
)

// isAlive returns false if the broker that meet recorded has been replaced, although the new broker
// responds.
func TestReplacedBrokerIsNotAlive(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "abd") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root := home.Root{Dir: filepath.Join(dir, "r")}
	if err := root.Make(); err != nil {
		t.Fatal(err)
	}
	place, err := root.Browser("default")
	if err != nil {
		t.Fatal(err)
	}
	lease, err := sockets.TryAcquire(place.Lock)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Close()
	listener, err := sockets.Listen(place, lease)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	srv := &server.Server{Hello: func() wire.Hello { return wire.Hello{Name: place.Name, PID: os.Getpid(), Protocol: wire.Protocol()} }}
	go func() { ended <- srv.Serve(ctx, listener) }()

	b := newBroker(place, "task")
	if b.isAlive(ctx) {
		t.Error("isAlive() before meet() = true")
	}
	if _, err := b.meet(ctx); err != nil || !b.isAlive(ctx) {
		t.Errorf("the broker that was met is not alive: %v", err)
	}
	if err := b.close(); err != nil {
		t.Fatal(err)
	}
	if !b.isAlive(ctx) {
		t.Error("the broker that was met is not alive over another connection")
	}
	if err := b.close(); err != nil {
		t.Fatal(err)
	}
	b.pid.Add(1)
	if b.isAlive(ctx) {
		t.Error("isAlive() = true for another broker than the one that was met")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
