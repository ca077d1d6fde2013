package sockets

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestMain(m *testing.M) { socketstest.Main(m, child) }

// child is the main function of the processes that tests start. It runs a role (see package
// socketstest) and prints the result as the first line of output. It keeps the lease or the socket
// that the role has acquired until it reads a byte, or the end of its input. In the role
// hold-and-leave-to-child it does not wait.
func child(role string, args []string) int {
	report := func(err error) {
		if err == nil {
			fmt.Println("ok")
			return
		}
		fmt.Println(wire.AsError(err).Code, err)
	}
	switch role {
	case "hold":
		_, err := TryAcquire(args[0])
		report(err)
	case "hold-and-leave-to-child": // a grandchild inherits the lease and outlives this process
		l, err := TryAcquire(args[0])
		if err != nil {
			report(err)
			return 0
		}
		grandchild := exec.CommandContext(context.Background(), "/bin/cat")
		grandchild.Stdin, grandchild.ExtraFiles = os.Stdin, []*os.File{l.File()}
		report(grandchild.Start())
		return 0
	case "dial":
		conn, err := Dial(context.Background(), home.Endpoint{Socket: args[0]})
		if err == nil {
			conn.Close()
		}
		report(err)
	case "listen":
		_, err := net.ListenUnix("unix", &net.UnixAddr{Name: args[0], Net: "unix"})
		if err == nil {
			err = os.Chmod(args[0], 0o777)
		}
		report(err)
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
	return 0
}

// newRoot makes a root directory with a short path, so that the socket path of even the longest
// session name is within the system's limit.
func newRoot(t *testing.T) home.Root {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ab")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := home.Root{Dir: dir}
	if err := r.Make(); err != nil {
		t.Fatal(err)
	}
	return r
}

func newEndpoint(t *testing.T, name string) home.Endpoint {
	t.Helper()
	p, err := newRoot(t).Session(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// listen acquires the endpoint's lease and listens until the test ends.
func listen(t *testing.T, e home.Endpoint) (*net.UnixListener, *Lease) {
	t.Helper()
	l, err := TryAcquire(e.Lock)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := Listen(e, l)
	if err != nil {
		t.Fatal(err)
	}
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
