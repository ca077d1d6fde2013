package server

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// slow is a listener that accepts slowly, as on a busy machine.
type slow struct{ *net.UnixListener }

func (l slow) Accept() (net.Conn, error) {
	time.Sleep(50 * time.Millisecond)
	return l.UnixListener.Accept()
}

// Serve answers the clients that connected before the socket file was removed. Otherwise it
// would close their connections after they have sent a request.
func TestUnlinkServesTheQueue(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "abk") // t.TempDir is too long for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	place := home.Endpoint{Name: "a", Socket: filepath.Join(dir, "s.sock"), Lock: filepath.Join(dir, "s.lock")}
	lease, err := sockets.TryAcquire(place.Lock)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Close()
	l, err := sockets.Listen(place, lease)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := &Server{
		Hello: func() wire.Hello { return wire.Hello{Name: "a", Role: "daemon"} },
		Handlers: []wire.Handler{wire.Bind(verbs.Scroll, func(context.Context, *wire.Call, verbs.ScrollIn) (verbs.ScrollOut, error) {
			return verbs.ScrollOut{}, nil
		})},
		Unlink: func() { _ = os.Remove(place.Socket) },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, slow{l}) }()
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			asking, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			_, errs[i] = (&client.Client{Endpoint: place}).Call(asking, verbs.Scroll.Spec, nil)
		})
	}
	time.Sleep(100 * time.Millisecond) // all clients have connected by then
	cancel()
	all.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve = %v", err)
	}
}
