package driver

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/launcher/install"
	"github.com/abrowser/abrowser/launcher/install/installtest"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// TestShared uses a real Node.
func TestShared(t *testing.T) {
	installed, err := installtest.Driver(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := &install.Installer{Root: home.Root{Dir: filepath.Join(t.TempDir(), "home")}, Environ: []string{"PATH=" + os.Getenv("PATH"), "ABROWSER_DRIVER_PATH=" + installed}}
	setup, err := Find(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]func(*testing.T, *Shared, Setup){
		"sessions share a driver":     testManyShareOne,
		"no room":                     testNoRoom,
		"close one session":           testCloseOne,
		"killed":                      testKilled,
		"suspended":                   testSuspended,
		"suspended without a session": testSuspendedIdle,
		"garbage":                     testGarbage,
		"uncaught exception":          testUncaught,
		"browser of a closed session": testClosedSessionsBrowser,
		"another build":               testAnotherBuild,
		"a stale socket":              testStaleSocket,
		"caller gives up":             testGivingUp,
		"killed without a session":    testSweep,
		"killed while it starts":      testKilledWhileItStarts,
	} {
		t.Run(name, func(t *testing.T) { test(t, newShared(t), setup) })
	}
}

func testManyShareOne(t *testing.T, s *Shared, setup Setup) {
	clients := make([]*client, 5)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() { clients[i] = connect(t, s, setup) })
	}
	all.Wait()
	if t.Failed() {
		return
	}
	for _, c := range clients {
		c.hello(t)
		if c.PID() != clients[0].PID() {
			t.Errorf("processes %d and %d serve, want one", clients[0].PID(), c.PID())
		}
		// The program has exited, and is not a zombie although the test has not waited for it.
		if !await(func() bool { return errors.Is(c.program.Process.Signal(syscall.Signal(0)), os.ErrProcessDone) }) {
			t.Error("the program that was started as Node has not exited")
		}
	}
	if info, err := os.Stat(s.Root.Path("run", "d", "driver-1.sock")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info.Mode(), err)
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", clients[0].PID()))
	if err != nil || !bytes.Contains(environ, []byte("TMPDIR="+s.Root.Dir)) {
		t.Errorf("the driver's TMPDIR is not below the root: %v", err)
	}
}

func testNoRoom(t *testing.T, s *Shared, setup Setup) {
	one, two := connect(t, s, setup), connect(t, s, setup)
	for range 14 {
		if c := connect(t, s, setup); c.PID() != one.PID() || two.PID() != one.PID() {
			t.Fatalf("the first 16 sessions are served by processes %d, %d and %d, want one", one.PID(), two.PID(), c.PID())
		}
	}
	further := connect(t, s, setup)
	further.hello(t)
	if further.PID() == one.PID() {
		t.Error("a driver serves 17 sessions")
	}
	two.Close()
	// The driver notices a moment later that the session is closed.
	if !await(func() bool {
		c := connect(t, s, setup)
		defer c.Close()
		return c.PID() == one.PID()
	}) {
		t.Error("the room of the closed session is not used")
	}
}

func testCloseOne(t *testing.T, s *Shared, setup Setup) {
	one, two := connect(t, s, setup), connect(t, s, setup)
	one.hello(t)
	two.hello(t)
	if err := one.in.Close(); err != nil { // as playwright-go's Stop does
		t.Error(err)
	}
	if err := one.program.Wait(); err != nil && !strings.Contains(err.Error(), "no child") {
		t.Errorf("waiting for the program: %v, want nil or no child", err)
	}
	select {
	case <-one.Done():
	case <-time.After(patience):
		t.Error("the connection stays open although its input is closed")
	}
	two.works(t)
}

func testKilled(t *testing.T, s *Shared, setup Setup) {
	one, two := connect(t, s, setup), connect(t, s, setup)
	one.hello(t)
	two.hello(t)
	if err := syscall.Kill(one.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	one.gone(t, 3*time.Second)
	two.gone(t, 3*time.Second)
	again := connect(t, s, setup)
	again.hello(t)
	if again.PID() == one.PID() {
		t.Error("the killed process is still serving")
	}
}

func testSuspended(t *testing.T, s *Shared, setup Setup) {
	began := time.Now()
	one := connect(t, s, setup)
	cold := time.Since(began) // how long a start takes on this machine now
	one.hello(t)
	stopped := time.Now()
	if err := syscall.Kill(one.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = one.process.Kill() }) // it should have exited
	noticed := make(chan time.Duration, 1)
	go func() { // returns when the connection is closed, at the latest at the end of the test
		<-one.Done()
		noticed <- time.Since(stopped)
	}()
	two := connect(t, s, setup)
	took := time.Since(stopped)
	two.hello(t)
	if limit := 2*cold + 2*time.Second; took > limit || two.PID() == one.PID() {
		t.Errorf("a new session took %s, want at most %s, in process %d, with %d suspended", took, limit, two.PID(), one.PID())
	}
	select {
	case took := <-noticed:
		if took > 5*time.Second {
			t.Errorf("it took %s to notice that the driver is suspended", took)
		}
		t.Logf("noticed after %s; the first session took %s", took, cold)
	case <-time.After(patience):
		t.Error("the suspended driver was not noticed")
	}
	one.gone(t, time.Second)
	two.works(t)
}

func testSuspendedIdle(t *testing.T, s *Shared, setup Setup) {
	s.Linger = time.Minute
	one := connect(t, s, setup)
	one.Close()
	t.Cleanup(func() { _ = one.process.Kill() }) // it should have exited
	if err := syscall.Kill(one.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.Linger = time.Millisecond
	two := connect(t, s, setup)
	if two.PID() == one.PID() {
		t.Error("the suspended process serves")
	}
	if !await(func() bool { return syscall.Kill(one.PID(), 0) != nil }) {
		t.Error("the suspended process, which has no session, was not killed")
	}
}

// A client that sends garbage is disconnected, and no other session is affected.
func testGarbage(t *testing.T, s *Shared, setup Setup) {
	neighbour := connect(t, s, setup)
	neighbour.hello(t)
	enter := "session " + setup.identity() + "\n"
	huge := append(binary.LittleEndian.AppendUint32(nil, 0xffffffff), "x"...)
	for name, bad := range map[string][]byte{
		"no line":           bytes.Repeat([]byte("x"), 4096),
		"another line":      []byte("GET / HTTP/1.1\r\n\r\n"),
		"another identity":  []byte("session 0000\n"),
		"no JSON":           append([]byte(enter), frame("{")...),
		"JSON, no message":  append([]byte(enter), frame("null")...),
		"no UTF-8":          append([]byte(enter), frame("\xff\xfe")...),
		"a huge length":     append([]byte(enter), huge...),
		"an empty message":  append([]byte(enter), 0, 0, 0, 0),
		"HTTP for messages": []byte(enter + "GET / HTTP/1.1\r\n\r\n"),
	} {
		conn := dial(t, s)
		if _, err := conn.Write(bad); err != nil {
			t.Fatal(err)
		}
		if said, err := io.ReadAll(conn); len(said) > 1 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: answered with %q, %v; want to be disconnected", name, said, err)
		}
	}
	// Each client sends a message that only looks valid, then an incomplete one, and disconnects.
	for _, odd := range []string{`{}`, `[]`, `{"id":1,"guid":"","method":"constructor","params":{}}`, `{"id":1,"guid":"x","method":"y"}`} {
		conn := dial(t, s)
		if _, err := conn.Write(append(append([]byte(enter), frame(odd)...), 200, 0, 0, 0, '{')); err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	neighbour.works(t)
	if neighbour.Lost() {
		t.Error("the neighbour's connection is closed")
	}
}

func dial(t *testing.T, s *Shared) net.Conn {
	t.Helper()
	p, err := s.Root.Driver(1)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := sockets.Dial(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // it may be closed already
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// An exception in one session's code ends that session and no other. Here the exception comes
// from an event that Playwright considers impossible.
func testUncaught(t *testing.T, s *Shared, setup Setup) {
	one, two := connect(t, s, setup), connect(t, s, setup)
	two.hello(t)
	browser := fakeBrowser{impossible: true, left: make(chan struct{})}.start(t)
	guid, err := one.chromium()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := one.call(guid, "connectOverCDP", browser)
	if err == nil {
		t.Errorf("connecting answers %.300s, want to be disconnected", answer)
	}
	one.gone(t, 3*time.Second)
	two.works(t)
	if two.Lost() {
		t.Error("the neighbour's connection is closed")
	}
}

// A killed daemon disconnects from the driver without closing its browser. The driver then
// disconnects from that browser, and removes the directory that the driver created for it. This
// works even if the parent of that directory was deleted before the session began.
func testClosedSessionsBrowser(t *testing.T, s *Shared, setup Setup) {
	two := connect(t, s, setup)
	two.hello(t)
	if err := os.RemoveAll(s.Root.Path("state", "tmp")); err != nil {
		t.Fatal(err)
	}
	one := connect(t, s, setup)
	fake := fakeBrowser{left: make(chan struct{})}
	browser := fake.start(t)
	guid, err := one.chromium()
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := one.call(guid, "connectOverCDP", browser); err != nil || !strings.Contains(answer, `"browser"`) {
		t.Fatalf("connecting answers %.300s, %v", answer, err)
	}
	artifacts := func() int {
		found, _ := filepath.Glob(filepath.Join(s.Root.Path("state", "tmp"), "*", "playwright-artifacts-*")) // the pattern is valid
		return len(found)
	}
	if n := artifacts(); n != 1 {
		t.Errorf("%d directories of artifacts below the root, want 1", n)
	}
	one.Close()
	select {
	case <-fake.left:
	case <-time.After(patience):
		t.Error("the driver is still connected to the browser of a closed session")
	}
	if !await(func() bool { return artifacts() == 0 }) {
		t.Error("the driver has not removed the artifacts of a closed session")
	}
	two.works(t)
}

func testAnotherBuild(t *testing.T, s *Shared, setup Setup) {
	one := connect(t, s, setup)
	other := setup
	other.Directory = filepath.Join(t.TempDir(), "other")
	if err := os.Symlink(setup.Directory, other.Directory); err != nil {
		t.Fatal(err)
	}
	two := connect(t, s, other)
	two.hello(t)
	if one.PID() == two.PID() {
		t.Error("a driver serves sessions of another Playwright")
	}
}

func testStaleSocket(t *testing.T, s *Shared, setup Setup) {
	if err := s.Root.Make(); err != nil {
		t.Fatal(err)
	}
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.Root.Path("run", "d", "driver-1.sock"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	connect(t, s, setup).hello(t)
}

func testGivingUp(t *testing.T, s *Shared, setup Setup) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Connect(ctx, setup); err == nil {
		t.Skip("Node starts within 50 ms")
	}
	connect(t, s, setup).hello(t)
	if pids := drivers(s); len(pids) != 1 {
		t.Errorf("the drivers are %v, want the one that was started for the caller that gave up", pids)
	}
}

func TestOwnRequested(t *testing.T) {
	for text, want := range map[string]bool{"": false, "shared": false, "own": true} {
		own, err := OwnRequested(func(name string) (string, bool) { return text, name == "ABROWSER_DRIVER" })
		if own != want || err != nil {
			t.Errorf("OwnRequested() with %q = %t, %v", text, own, err)
		}
	}
	_, err := OwnRequested(func(string) (string, bool) { return "mine", true })
	if !errors.Is(err, wire.CodeBadInput) {
		t.Errorf("OwnRequested() with another word = %v", err)
	}
}
