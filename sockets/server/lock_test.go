package server

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A client releases a lock with the function that Lock returns. This function returns only when the
// server has released the lock, even if that takes the server some time.
func TestUnlockWaitsForTheServer(t *testing.T) {
	p := newPlace(t, "a")
	var held atomic.Int32
	lock := Lock{
		Path:  "/v1/lock",
		Limit: time.Minute,
		Acquire: func(context.Context, *wire.Call) (any, func(), error) {
			held.Add(1)
			return struct{}{}, func() {
				time.Sleep(100 * time.Millisecond)
				held.Add(-1)
			}, nil
		},
	}
	c := serve(t, p, &Server{Hello: helloOf("a"), Handlers: handlers(nil), Locks: []Lock{lock}})
	for range 3 {
		unlock, err := c.Lock(soon(t), lock.Path)
		must(t, err)
		if held.Load() != 1 {
			t.Fatalf("%d clients hold the lock, want 1", held.Load())
		}
		unlock()
		if held.Load() != 0 {
			t.Fatal("the lock is still held after its release")
		}
	}
}
