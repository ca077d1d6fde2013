package server

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// When a server ends, each request that clients send meanwhile is either carried out and answered, or
// certainly not carried out. The clients can then send the latter to the next server.
func TestEndLosesNoRequest(t *testing.T) {
	for _, tt := range []struct {
		name string
		kept bool // each client sends its requests on one connection
	}{{"new connections", false}, {"kept connections", true}} {
		t.Run(tt.name, func(t *testing.T) {
			for range 40 {
				endWhileClientsAsk(t, tt.kept)
			}
		})
	}
}

func endWhileClientsAsk(t *testing.T, kept bool) {
	t.Helper()
	place := newPlace(t, "a")
	listener, lease := listen(t, place)
	var done, answered atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &Server{Hello: helloOf("a"), Unlink: func() { _ = os.Remove(place.Socket) }, Handlers: []wire.Handler{
		wire.Bind(verbs.Scroll, func(context.Context, *wire.Call, verbs.ScrollIn) (verbs.ScrollOut, error) {
			if done.Add(1) == 50 {
				cancel()
			}
			return verbs.ScrollOut{}, nil
		}),
	}}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	asking := soon(t)
	var clients sync.WaitGroup
	for range 6 {
		clients.Go(func() {
			c := &client.Client{Endpoint: place}
			if kept {
				c = c.KeepAlive()
				defer c.Close()
			}
			for {
				switch _, err := c.Call(asking, verbs.Scroll.Spec, nil); {
				case err == nil:
					answered.Add(1)
				case errors.Is(err, wire.CodeNotRunning):
					return
				default:
					t.Errorf("Call() = %v, want nil or %s", err, wire.CodeNotRunning)
					return
				}
			}
		})
	}
	begin := time.Now()
	must(t, <-ended)
	clients.Wait()
	if d, a := done.Load(), answered.Load(); d != a {
		t.Errorf("%d requests were carried out, %d were answered", d, a)
	}
	if took := time.Since(begin); took > 4*time.Second {
		t.Errorf("Serve() took %v", took)
	}
	must(t, lease.Remove(place))
}
