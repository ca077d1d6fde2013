package sockets

import (
	"errors"
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
	p := newPlace(t, "a")
	listener, l := listen(t, p)
	info, err := os.Lstat(p.Socket)
	must(t, err)
	if info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("the socket has mode %v, want Srw-------", info.Mode())
	}
	conn, err := Dial(t.Context(), p)
	must(t, err)
	conn.Close()
	if _, err := TryAcquire(p.Lock); wire.AsError(err).Details["socket"] != p.Socket {
		t.Errorf("the lease says %v, want where its holder listens", wire.AsError(err).Details)
	}
	must(t, listener.Close())
	if _, err := os.Lstat(p.Socket); err != nil {
		t.Errorf("closing the listener removed the socket: %v", err)
	}
	must(t, Unlink(p, l))
	if _, err := os.Lstat(p.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Unlink left the socket: %v", err)
	}
	if _, err := os.Lstat(p.Lock); err != nil {
		t.Errorf("Unlink removed the lock file: %v", err)
	}
}

func TestListenTakesOverWhatIsStale(t *testing.T) {
	tests := []struct {
		name string
		lay  func(t *testing.T, p home.Endpoint)
	}{
		{"a socket file and a lock file of the dead", func(t *testing.T, p home.Endpoint) {
			dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
			must(t, err)
			dead.SetUnlinkOnClose(false)
			must(t, dead.Close())
			must(t, os.WriteFile(p.Lock, []byte("/somewhere/else/altogether.sock\n99999\n"), 0o600))
		}},
		{"a plain file", func(t *testing.T, p home.Endpoint) { must(t, os.WriteFile(p.Socket, []byte("4711"), 0o600)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "a")
			tt.lay(t, p)
			if _, err := Dial(t.Context(), p); !errors.Is(err, wire.CodeNotRunning) {
				t.Errorf("Dial() = %v, want %s", err, wire.CodeNotRunning)
			}
			listen(t, p)
			conn, err := Dial(t.Context(), p)
			must(t, err)
			conn.Close()
			raw, err := os.ReadFile(p.Lock)
			must(t, err)
			if string(raw) != p.Socket+"\n" {
				t.Errorf("the lock file says %q, want %q", raw, p.Socket)
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
	// The lock file was removed under a living daemon: its socket is not taken.
	must(t, os.Remove(a.Lock))
	l, err := TryAcquire(a.Lock)
	must(t, err)
	defer l.Close()
	if _, err := Listen(a, l); !errors.Is(err, wire.CodeHeld) {
		t.Errorf("Listen where somebody answers = %v, want %s", err, wire.CodeHeld)
	}
	must(t, Unlink(a, held)) // no longer the holder: nothing happens
	if conn, err := Dial(t.Context(), a); err != nil {
		t.Errorf("Unlink without the lease removed the socket: %v", err)
	} else {
		conn.Close()
	}
}

// Only a refused connection says that a socket is dead.
func TestListenRemovesNothingThatLives(t *testing.T) {
	p := newPlace(t, "a")
	other, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: p.Socket, Net: "unixgram"})
	must(t, err)
	defer other.Close()
	l, err := TryAcquire(p.Lock)
	must(t, err)
	defer l.Close()
	if _, err := Listen(p, l); err == nil {
		t.Error("Listen() took a living socket")
	}
	if _, err := os.Lstat(p.Socket); err != nil {
		t.Errorf("Listen removed a living socket: %v", err)
	}
}

func TestUnlinkLeavesASuccessorsSocket(t *testing.T) {
	p := newPlace(t, "a")
	listener, l := listen(t, p)
	must(t, listener.Close())
	must(t, os.Remove(p.Socket))
	time.Sleep(20 * time.Millisecond) // the same inode is used again, but not in the same instant
	other, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
	must(t, err)
	defer other.Close()
	must(t, Unlink(p, l))
	if _, err := os.Lstat(p.Socket); err != nil {
		t.Errorf("Unlink removed another's socket: %v", err)
	}
}

func TestPathsThatAreTooLong(t *testing.T) {
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

func TestThePathLimitIsTheSystems(t *testing.T) {
	r := newRoot(t)
	p := home.Endpoint{Socket: r.Path(strings.Repeat("x", home.MaxSocketPath-len(r.Dir)-1)), Lock: r.Path("l")}
	l, err := TryAcquire(p.Lock)
	must(t, err)
	defer l.Close()
	listener, err := Listen(p, l)
	must(t, err)
	listener.Close()
	if _, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket + "x", Net: "unix"}); err == nil {
		t.Errorf("the system takes %d bytes, more than our limit", home.MaxSocketPath+1)
	}
}
