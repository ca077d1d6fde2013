package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestMain(m *testing.M) { socketstest.Main(m, child) }

// child is the main function of the processes that tests start. It runs a role, prints the
// result as the first line of output, and waits for a byte or the end of its input.
func child(role string, args []string) int {
	var err error
	switch role {
	case "dial":
		var conn net.Conn
		if conn, err = sockets.Dial(context.Background(), home.Endpoint{Socket: args[0]}); err == nil {
			conn.Close()
		}
	case "raw": // connects without any check and waits for a response
		err = raw(args[0])
	}
	if err == nil {
		fmt.Println("ok")
	} else {
		fmt.Println(wire.AsError(err).Code, err)
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
	return 0
}

func raw(socket string) error {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return err
	}
	fmt.Fprint(conn, "GET "+wire.PathHello+" HTTP/1.1\r\nHost: x\r\n\r\n")
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	_, err = conn.Read(make([]byte, 1))
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		err = wire.Errorf(wire.CodeForbidden, "the server closed the connection: %v", err)
	}
	return err
}

// newPlace returns the endpoint of a session in a new root directory. The directory has a short
// path, so that the socket path of even the longest session name is within the system's limit.
func newPlace(t *testing.T, name string) home.Endpoint {
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

// listen acquires p's lease and listens until the test ends.
func listen(t *testing.T, p home.Endpoint) (*net.UnixListener, *sockets.Lease) {
	t.Helper()
	l, err := sockets.TryAcquire(p.Lock)
	must(t, err)
	listener, err := sockets.Listen(p, l)
	must(t, err)
	t.Cleanup(func() { listener.Close(); l.Close() })
	return listener, l
}

// soon returns a context with a deadline in 20 s, which is enough time even on a busy machine.
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
