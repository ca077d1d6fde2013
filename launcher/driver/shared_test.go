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
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// TestShared has a real Node serve. It is left out of -short, since it fetches the
// driver from the npm registry.
func TestShared(t *testing.T) {
	if testing.Short() {
		t.Skip("it fetches from the npm registry")
	}
	i := &install.Installer{Root: home.Root{Dir: filepath.Join(t.TempDir(), "home")}}
	if _, err := i.Ensure(t.Context(), wire.Settings{}); err != nil {
		t.Fatal(err)
	}
	setup, err := Find(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]func(*testing.T, *Shared, Setup){
		"many at once share one":        testManyShareOne,
		"a further one":                 testFurtherOne,
		"closing one":                   testClosingOne,
		"killed":                        testKilled,
		"stopped":                       testStopped,
		"stopped with nobody connected": testStoppedEmpty,
		"garbage":                       testGarbage,
		"nobody catches an error":       testUncaught,
		"the browser of one that went":  testLeavingBrowser,
		"another build":                 testAnotherBuild,
		"a stale socket":                testStaleSocket,
		"a caller that gives up":        testGivingUp,
		"killed with nobody connected":  testSweep,
		"killed while it starts":        testKilledWhileItStarts,
	} {
		t.Run(name, func(t *testing.T) { test(t, newShared(t), setup) })
	}
}

func testManyShareOne(t *testing.T, s *Shared, setup Setup) {
	clients := make([]*client, 5)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() { clients[i] = join(t, s, setup) })
	}
	all.Wait()
	if t.Failed() {
		return
	}
	for _, c := range clients {
		c.hello(t)
		if c.PID() != clients[0].PID() {
			t.Errorf("one is served by process %d, another by %d", clients[0].PID(), c.PID())
		}
		// The stand-in has ended, and nobody has to wait for it.
		if !await(func() bool { return errors.Is(c.stand.Process.Signal(syscall.Signal(0)), os.ErrProcessDone) }) {
			t.Error("the stand-in for Node is still there")
		}
	}
	if info, err := os.Stat(s.Root.Path("run", "d", "driver-1.sock")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info.Mode(), err)
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", clients[0].PID()))
	if err != nil || !bytes.Contains(environ, []byte("TMPDIR="+s.Root.Dir)) {
		t.Errorf("the driver's temporary files go elsewhere: %v", err)
	}
}

func testFurtherOne(t *testing.T, s *Shared, setup Setup) {
	one, two := join(t, s, setup), join(t, s, setup)
	for range 14 {
		if c := join(t, s, setup); c.PID() != one.PID() || two.PID() != one.PID() {
			t.Fatalf("among the first 16, one is served by process %d, another by %d and %d", one.PID(), two.PID(), c.PID())
		}
	}
	further := join(t, s, setup)
	further.hello(t)
	if further.PID() == one.PID() {
		t.Error("a driver serves 17 sessions")
	}
	two.Close()
	// The driver hears of it a moment later than we do.
	if !await(func() bool {
		c := join(t, s, setup)
		defer c.Close()
		return c.PID() == one.PID()
	}) {
		t.Error("room that was given up is not used")
	}
}

func testClosingOne(t *testing.T, s *Shared, setup Setup) {
	one, two := join(t, s, setup), join(t, s, setup)
	one.hello(t)
	two.hello(t)
	if err := one.in.Close(); err != nil { // as playwright-go's Stop does
		t.Error(err)
	}
	if err := one.stand.Wait(); err != nil && !strings.Contains(err.Error(), "no child") {
		t.Errorf("waiting for the stand-in: %v, want that it has been waited for, or is now", err)
	}
	select {
	case <-one.Done():
	case <-time.After(patience):
		t.Error("the line whose input was closed goes on")
	}
	two.works(t)
}

func testKilled(t *testing.T, s *Shared, setup Setup) {
	one, two := join(t, s, setup), join(t, s, setup)
	one.hello(t)
	two.hello(t)
	if err := syscall.Kill(one.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	one.gone(t, 3*time.Second)
	two.gone(t, 3*time.Second)
	again := join(t, s, setup)
	again.hello(t)
	if again.PID() == one.PID() {
		t.Error("the killed process serves")
	}
}

func testStopped(t *testing.T, s *Shared, setup Setup) {
	began := time.Now()
	one := join(t, s, setup)
	cold := time.Since(began) // what starting another takes, on a machine as busy as this
	one.hello(t)
	stopped := time.Now()
	if err := syscall.Kill(one.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = one.process.Kill() }) // it should be gone
	noticed := make(chan time.Duration, 1)
	go func() { // it ends with the line, which the test closes
		<-one.Done()
		noticed <- time.Since(stopped)
	}()
	two := join(t, s, setup)
	took := time.Since(stopped)
	two.hello(t)
	if limit := 2*cold + 2*time.Second; took > limit || two.PID() == one.PID() {
		t.Errorf("a new session starts in %s, want %s, in process %d, with %d stopped", took, limit, two.PID(), one.PID())
	}
	select {
	case took := <-noticed:
		if took > 5*time.Second {
			t.Errorf("that the driver is stopped was noticed after %s", took)
		}
		t.Logf("noticed after %s; the first session started in %s", took, cold)
	case <-time.After(patience):
		t.Error("nobody notices that the driver is stopped")
	}
	one.gone(t, time.Second)
	two.works(t)
}

func testStoppedEmpty(t *testing.T, s *Shared, setup Setup) {
	s.Linger = time.Minute
	one := join(t, s, setup)
	one.Close()
	t.Cleanup(func() { _ = one.process.Kill() }) // it should be gone
	if err := syscall.Kill(one.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.Linger = time.Millisecond
	two := join(t, s, setup)
	if two.PID() == one.PID() {
		t.Error("the stopped process serves")
	}
	if !await(func() bool { return syscall.Kill(one.PID(), 0) != nil }) {
		t.Error("the stopped process, which no session watches, is not ended")
	}
}

// A client that makes no sense is cut off, and its neighbour notices nothing.
func testGarbage(t *testing.T, s *Shared, setup Setup) {
	neighbour := join(t, s, setup)
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
			t.Errorf("%s: answered with %q, %v; want to be cut off", name, said, err)
		}
	}
	// What is half said when the client goes away, and messages that only look right.
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
		t.Error("the neighbour's line is lost")
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

// An exception in one session's code, here at an event that Playwright takes for
// impossible, ends that session and no other.
func testUncaught(t *testing.T, s *Shared, setup Setup) {
	one, two := join(t, s, setup), join(t, s, setup)
	two.hello(t)
	browser := fakeBrowser{impossible: true, left: make(chan struct{})}.start(t)
	guid, err := one.chromium()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := one.call(guid, "connectOverCDP", browser)
	if err == nil {
		t.Errorf("connecting answers %.300s, want to be cut off", answer)
	}
	one.gone(t, 3*time.Second)
	two.works(t)
	if two.Lost() {
		t.Error("the neighbour's line is lost")
	}
}

// A daemon that was killed closes nothing: the driver lets go of its browser, and of
// the directory that it made for it, also where somebody had removed the one above.
func testLeavingBrowser(t *testing.T, s *Shared, setup Setup) {
	two := join(t, s, setup)
	two.hello(t)
	if err := os.RemoveAll(s.Root.Path("state", "tmp")); err != nil {
		t.Fatal(err)
	}
	one := join(t, s, setup)
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
		found, _ := filepath.Glob(filepath.Join(s.Root.Path("state", "tmp"), "*", "playwright-artifacts-*")) // the pattern is right
		return len(found)
	}
	if n := artifacts(); n != 1 {
		t.Errorf("%d directories of artifacts, want one: below our root", n)
	}
	one.Close()
	select {
	case <-fake.left:
	case <-time.After(patience):
		t.Error("the driver holds the browser of a session that went away")
	}
	if !await(func() bool { return artifacts() == 0 }) {
		t.Error("the driver keeps the artifacts of a session that went away")
	}
	two.works(t)
}

func testAnotherBuild(t *testing.T, s *Shared, setup Setup) {
	one := join(t, s, setup)
	other := setup
	other.Directory = filepath.Join(t.TempDir(), "other")
	if err := os.Symlink(setup.Directory, other.Directory); err != nil {
		t.Fatal(err)
	}
	two := join(t, s, other)
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
	join(t, s, setup).hello(t)
}

func testGivingUp(t *testing.T, s *Shared, setup Setup) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Connect(ctx, setup); err == nil {
		t.Skip("Node starts within 50 ms")
	}
	join(t, s, setup).hello(t)
	if pids := drivers(s); len(pids) != 1 {
		t.Errorf("the drivers are %v, want the one that was started for who gave up", pids)
	}
}

func TestOwn(t *testing.T) {
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
