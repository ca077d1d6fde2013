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

// child is what another process does; it says how it went on its first line of
// output and, where it holds something, keeps it until its input ends.
func child(role string, args []string) int {
	say := func(err error) {
		if err == nil {
			fmt.Println("ok")
			return
		}
		fmt.Println(wire.AsError(err).Code, err)
	}
	switch role {
	case "hold":
		_, err := TryAcquire(args[0])
		say(err)
	case "hold-and-leave-to-child": // a grandchild inherits the lease and outlives us
		l, err := TryAcquire(args[0])
		if err != nil {
			say(err)
			return 0
		}
		heir := exec.CommandContext(context.Background(), "/bin/cat")
		heir.Stdin, heir.ExtraFiles = os.Stdin, []*os.File{l.File()}
		say(heir.Start())
		return 0
	case "dial":
		conn, err := Dial(context.Background(), home.Endpoint{Socket: args[0]})
		if err == nil {
			conn.Close()
		}
		say(err)
	case "listen":
		_, err := net.ListenUnix("unix", &net.UnixAddr{Name: args[0], Net: "unix"})
		if err == nil {
			err = os.Chmod(args[0], 0o777)
		}
		say(err)
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
	return 0
}

// newRoot is a root with a path short enough for every session's name.
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

func newPlace(t *testing.T, name string) home.Endpoint {
	t.Helper()
	p, err := newRoot(t).Session(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// listen holds p's lease and listens there until the test ends.
func listen(t *testing.T, p home.Endpoint) (*net.UnixListener, *Lease) {
	t.Helper()
	l, err := TryAcquire(p.Lock)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := Listen(p, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close(); l.Close() })
	return listener, l
}

// soon ends long after what is waited for should have come, on a busy machine too.
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
