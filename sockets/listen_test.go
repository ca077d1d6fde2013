package sockets

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

func dup(f *os.File) (*os.File, error) {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return nil, err
	}
	return Inherit(fd, f.Name())
}

func TestListen(t *testing.T) {
	e := newEndpoint(t, "a")
	listener, l := listen(t, e)
	info, err := os.Lstat(e.Socket)
	must(t, err)
	if info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("the socket has mode %v, want Srw-------", info.Mode())
	}
	conn, err := Dial(t.Context(), e)
	must(t, err)
	conn.Close()
	if _, err := TryAcquire(e.Lock); wire.AsError(err).Details["socket"] != e.Socket {
		t.Errorf("the error has the details %v, want the holder's socket", wire.AsError(err).Details)
	}
	must(t, listener.Close())
	if _, err := os.Lstat(e.Socket); err != nil {
		t.Errorf("closing the listener removed the socket: %v", err)
	}
	must(t, Unlink(e, l))
	if _, err := os.Lstat(e.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Unlink left the socket: %v", err)
	}
	if _, err := os.Lstat(e.Lock); err != nil {
		t.Errorf("Unlink removed the lock file: %v", err)
	}
}

func TestListenReplacesStaleFiles(t *testing.T) {
	tests := []struct {
		name    string
		prepare func(t *testing.T, e home.Endpoint)
	}{
		{"the socket and lock of a dead process", func(t *testing.T, e home.Endpoint) {
			dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: e.Socket, Net: "unix"})
			must(t, err)
			dead.SetUnlinkOnClose(false)
			must(t, dead.Close())
			must(t, os.WriteFile(e.Lock, []byte("/somewhere/else/altogether.sock\n99999\n"), 0o600))
		}},
		{"a plain file", func(t *testing.T, e home.Endpoint) { must(t, os.WriteFile(e.Socket, []byte("4711"), 0o600)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEndpoint(t, "a")
			tt.prepare(t, e)
			if _, err := Dial(t.Context(), e); !errors.Is(err, wire.CodeNotRunning) {
				t.Errorf("Dial() = %v, want %s", err, wire.CodeNotRunning)
			}
			listen(t, e)
			conn, err := Dial(t.Context(), e)
			must(t, err)
			conn.Close()
			raw, err := os.ReadFile(e.Lock)
			must(t, err)
			if !strings.HasPrefix(string(raw), e.Socket+"\n") || strings.Contains(string(raw), "99999") {
				t.Errorf("the lock file contains %q, want %q and this process", raw, e.Socket)
			}
			if process, ok := Listener(e.Lock); !ok || process.PID != os.Getpid() {
				t.Errorf("Listener() = %+v, %v, want this process", process, ok)
			}
		})
	}
}

func TestListenNeedsTheLease(t *testing.T) {
	r := newRoot(t)
	a, err := r.Session("a")
	must(t, err)
	b, err := r.Session("b")
	must(t, err)
	_, held := listen(t, a)
	for name, l := range map[string]*Lease{"none": nil, "another's": held} {
		if _, err := Listen(b, l); !errors.Is(err, wire.CodeHeld) {
			t.Errorf("Listen with the lease of %s = %v, want %s", name, err, wire.CodeHeld)
		}
	}
	// If the lock file of a running daemon is removed, the daemon's socket is not replaced.
	must(t, os.Remove(a.Lock))
	l, err := TryAcquire(a.Lock)
	must(t, err)
	defer l.Close()
	if _, err := Listen(a, l); !errors.Is(err, wire.CodeHeld) {
		t.Errorf("Listen() on a socket that accepts = %v, want %s", err, wire.CodeHeld)
	}
	// Unlink removes nothing, because this lease is on the removed lock file and not on the new one.
	must(t, Unlink(a, held))
	if conn, err := Dial(t.Context(), a); err != nil {
		t.Errorf("Unlink without the lease removed the socket: %v", err)
	} else {
		conn.Close()
	}
}

// Listen replaces a socket only if the system refuses connections to the socket.
func TestListenKeepsALiveSocket(t *testing.T) {
	e := newEndpoint(t, "a")
	other, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: e.Socket, Net: "unixgram"})
	must(t, err)
	defer other.Close()
	l, err := TryAcquire(e.Lock)
	must(t, err)
	defer l.Close()
	if _, err := Listen(e, l); err == nil {
		t.Error("Listen() replaced a live socket")
	}
	if _, err := os.Lstat(e.Socket); err != nil {
		t.Errorf("Listen removed a live socket: %v", err)
	}
}

func TestUnlinkLeavesASuccessorsSocket(t *testing.T) {
	e := newEndpoint(t, "a")
	listener, l := listen(t, e)
	must(t, listener.Close())
	must(t, os.Remove(e.Socket))
	time.Sleep(20 * time.Millisecond) // the inode may be reused, but the modification time differs
	other, err := net.ListenUnix("unix", &net.UnixAddr{Name: e.Socket, Net: "unix"})
	must(t, err)
	defer other.Close()
	must(t, Unlink(e, l))
	if _, err := os.Lstat(e.Socket); err != nil {
		t.Errorf("Unlink removed another process's socket: %v", err)
	}
}

func TestTooLongPaths(t *testing.T) {
	long := home.Endpoint{Socket: "/" + strings.Repeat("r", home.MaxSocketPath)}
	for name, try := range map[string]func() error{
		"Dial":   func() error { _, err := Dial(t.Context(), long); return err },
		"Listen": func() error { _, err := Listen(long, nil); return err },
	} {
		err := try()
		if !errors.Is(err, wire.CodeBadInput) || !strings.Contains(wire.AsError(err).Hint, "ABROWSER_HOME") {
			t.Errorf("%s() = %v (hint %q), want the limit and ABROWSER_HOME", name, err, wire.AsError(err).Hint)
		}
	}
}

func TestMaxSocketPathIsTheSystemsLimit(t *testing.T) {
	r := newRoot(t)
	e := home.Endpoint{Socket: r.Path(strings.Repeat("x", home.MaxSocketPath-len(r.Dir)-1)), Lock: r.Path("l")}
	l, err := TryAcquire(e.Lock)
	must(t, err)
	defer l.Close()
	listener, err := Listen(e, l)
	must(t, err)
	listener.Close()
	if _, err := net.ListenUnix("unix", &net.UnixAddr{Name: e.Socket + "x", Net: "unix"}); err == nil {
		t.Errorf("the system accepts %d bytes, more than MaxSocketPath", home.MaxSocketPath+1)
	}
}

// Listener reports false if the process that the lock file names has ended, even if another process
// has reused its pid.
func TestListenerHasEnded(t *testing.T) {
	e := newEndpoint(t, "a")
	for _, process := range []string{"", "99999999:1", fmt.Sprintf("%d:1", os.Getpid())} {
		must(t, os.WriteFile(e.Lock, []byte(e.Socket+"\n"+process+"\n"), 0o600))
		if got, ok := Listener(e.Lock); ok {
			t.Errorf("Listener() = %+v for %q, want none", got, process)
		}
	}
}
