package client

import (
	"context"
	"net"
	"os"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/socketstest"
)

func TestMain(m *testing.M) { socketstest.Main(m, nil) }

// newEndpoint returns a session's endpoint in a new root directory. The directory has a short path,
// since the length of a socket's path is limited.
func newEndpoint(t *testing.T, name string) home.Endpoint {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ab")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := home.Root{Dir: dir}
	must(t, r.Make())
	p, err := r.Session(name)
	must(t, err)
	return p
}

// listen acquires the lease of the endpoint e, and listens at e until the test ends.
func listen(t *testing.T, e home.Endpoint) (*net.UnixListener, *sockets.Lease) {
	t.Helper()
	l, err := sockets.TryAcquire(e.Lock)
	must(t, err)
	listener, err := sockets.Listen(e, l)
	must(t, err)
	t.Cleanup(func() { listener.Close(); l.Close() })
	return listener, l
}

// soon returns a context with a timeout that suffices even on a busy machine.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
