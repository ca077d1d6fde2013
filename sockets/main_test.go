package sockets

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// childVariable makes the test binary play another process: see [child].
const childVariable = "SOCKETS_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childVariable); role != "" {
		os.Exit(child(role, os.Args[1:]))
	}
	before := runtime.NumGoroutine()
	status := m.Run()
	if fuzzing := flag.Lookup("test.fuzz"); fuzzing != nil && fuzzing.Value.String() != "" {
		os.Exit(status) // the engine leaves a goroutine of its own
	}
	for end := time.Now().Add(3 * time.Second); status == 0 && runtime.NumGoroutine() > before; {
		if time.Now().After(end) {
			fmt.Fprintln(os.Stderr, "goroutines are left:")
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			status = 1
		}
		time.Sleep(10 * time.Millisecond)
	}
	os.Exit(status)
}

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
		_, err := Hold(args[0])
		say(err)
	case "hold-and-leave-to-child": // a grandchild inherits the lease and outlives us
		l, err := Hold(args[0])
		if err != nil {
			say(err)
			return 0
		}
		heir := exec.CommandContext(context.Background(), "/bin/cat")
		heir.Stdin, heir.ExtraFiles = os.Stdin, []*os.File{l.File()}
		say(heir.Start())
		return 0
	case "make":
		say(Root{Dir: args[0]}.Make())
	case "make-on-read-only":
		err := mountReadOnly(args[0])
		if err == nil {
			err = Root{Dir: args[0] + "/root"}.Make()
		}
		say(err)
	case "dial":
		conn, err := Dial(context.Background(), Place{Socket: args[0]})
		if err == nil {
			conn.Close()
		}
		say(err)
	case "raw": // connects without any check and waits for what comes
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: args[0], Net: "unix"})
		if err == nil {
			fmt.Fprint(conn, "GET "+wire.PathHello+" HTTP/1.1\r\nHost: x\r\n\r\n")
			_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
			_, err = conn.Read(make([]byte, 1))
			if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
				err = wire.Errorf(wire.CodeForbidden, "hung up: %v", err)
			}
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

// process is another process that plays a role until it is stopped.
type process struct {
	*exec.Cmd
	said string
	end  func()
}

func start(t *testing.T, uid uint32, role string, args ...string) *process {
	t.Helper()
	attr := &syscall.SysProcAttr{}
	if uid != 0 {
		attr.Credential = &syscall.Credential{Uid: uid, Gid: uid}
	}
	return startWith(t, attr, executable(t, uid), role, args...)
}

func startWith(t *testing.T, attr *syscall.SysProcAttr, executable, role string, args ...string) *process {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), executable, args...) // ended by end
	cmd.Env = append(os.Environ(), childVariable+"="+role, "GOCOVERDIR="+os.TempDir(), "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = attr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: cmd}
	ended := false
	p.end = func() {
		if !ended {
			ended = true
			in.Close()
			_ = cmd.Wait()
		}
	}
	t.Cleanup(p.end)
	p.said, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s %v said nothing: %v", role, args, err)
	}
	p.said = strings.TrimSpace(p.said)
	return p
}

// executable is the test binary, as a copy where another user must reach it.
func executable(t *testing.T, uid uint32) string {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if uid == 0 {
		return own
	}
	dir, err := os.MkdirTemp("", "ab")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	raw, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "test")
	if err := errors.Join(os.WriteFile(path, raw, 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return path
}

// newRoot is a root with a path short enough for every session's name.
func newRoot(t *testing.T) Root {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ab")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := Root{Dir: dir}
	if err := r.Make(); err != nil {
		t.Fatal(err)
	}
	return r
}

func newPlace(t *testing.T, name string) Place {
	t.Helper()
	p, err := newRoot(t).Session(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// listen holds p's lease and listens there until the test ends.
func listen(t *testing.T, p Place) (*net.UnixListener, *Lease) {
	t.Helper()
	l, err := Hold(p.Lock)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := p.Listen(l)
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
