package web_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// withSecret is a session whose page has a secret value. The test reads the value to find out
// whether the page is still the same.
type withSecret struct {
	*daemontest.Session
	secret string
}

func startWithSecret(t *testing.T, web *site.Site) withSecret {
	t.Helper()
	s := home.Start(t)
	open(t, s, web.URL("/secret"))
	return withSecret{s, eval(t, s, "reveal()")}
}

func (s withSecret) check(t *testing.T) {
	t.Helper()
	if got := eval(t, s.Session, "reveal()"); got != s.secret {
		t.Errorf("the secret of %s's page is %s, was %s", s.Name, got, s.secret)
	}
}

// sharedDriver returns the pid of the driver that serves all sessions of the test.
func sharedDriver(t *testing.T) int {
	t.Helper()
	all := children(t, "\x00driver\x00")
	if len(all) != 1 {
		t.Fatalf("the shared drivers are %v, want one", all)
	}
	return all[0]
}

func TestSessionsShareADriver(t *testing.T) {
	t.Parallel()
	web := site.Start(t)
	one, two := startWithSecret(t, web), startWithSecret(t, web)
	pid := sharedDriver(t)
	one.End(t)
	two.check(t)
	if now := sharedDriver(t); now != pid {
		t.Errorf("the driver is process %d, was %d", now, pid)
	}
	again := home.Resume(t, one.Name)
	one.Session = again
	one.check(t)
	two.check(t)
	var own []int
	for range 100 { // the process that playwright-go starts ends soon: it only hands its pipes to the driver
		if own = children(t, "run-driver"); len(own) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if len(own) != 0 {
		t.Errorf("processes of run-driver are left: %v", own)
	}
}

func TestTheSharedDriverIsKilled(t *testing.T) {
	web := site.Start(t)
	one, two, loading := startWithSecret(t, web), startWithSecret(t, web), home.Start(t)
	running, opening := make(chan error, 1), make(chan error, 1)
	eval(t, one.Session, `setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<i id=late>late</i>"), 6000), 0`)
	go func() {
		_, _, err := ask(t, one.Session, verbs.Wait, verbs.WaitIn{What: "#late"})
		running <- err
	}()
	go func() {
		_, _, err := ask(t, loading, verbs.Open, verbs.OpenIn{URL: web.URL("/stuck"), TimeoutIn: verbs.TimeoutIn{Timeout: int(patience.Milliseconds())}})
		opening <- err
	}()
	awaitState(t, one.Session, "busy")
	for began := time.Now(); do(t, loading, verbs.Status, verbs.Empty{}).URL != web.URL("/stuck"); {
		if time.Sleep(20 * time.Millisecond); time.Since(began) > patience/2 {
			t.Fatal("the page does not come")
		}
	}
	// The status has the URL a little before open waits for the load event.
	time.Sleep(500 * time.Millisecond)
	pid := sharedDriver(t)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	if err := <-running; err != nil { // a wait changes nothing, so it is run again
		t.Errorf("the wait during which the driver was killed ended with %v", err)
	}
	err := <-opening
	if !errors.Is(err, wire.CodeResultUnknown) || time.Since(killed) > patience/2 {
		t.Errorf("the load when the driver was killed ended after %s with %v", time.Since(killed), err)
	}
	one.check(t)
	two.check(t)
	if now := sharedDriver(t); now == pid {
		t.Error("the killed process still serves")
	}
}

// A command that only reads is run again if the driver is lost during the command. An error would
// not help, since the caller could only repeat the command.
func TestReadsAreRepeated(t *testing.T) {
	web := site.Start(t)
	s := startWithSecret(t, web)
	for _, tt := range []struct {
		name string
		read func() error
	}{
		{"get text", func() error {
			out, _, err := ask(t, s.Session, verbs.GetText, verbs.GetIn{Element: element("h1")})
			if err == nil && out.Value == "" {
				t.Error("the text is empty")
			}
			return err
		}},
		{"snapshot", func() error {
			out, _, err := ask(t, s.Session, verbs.Snapshot, verbs.SnapshotIn{})
			if err == nil && !strings.Contains(out.Snapshot, "heading") {
				t.Errorf("the snapshot is %q", out.Snapshot)
			}
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eval(t, s.Session, "setTimeout(() => { for (const end = Date.now() + 2500; Date.now() < end;); }, 100), 0")
			time.Sleep(500 * time.Millisecond) // by now the page is busy and does not respond
			done := make(chan error, 1)
			go func() { done <- tt.read() }()
			awaitState(t, s.Session, "busy")
			time.Sleep(200 * time.Millisecond) // by now the command has asked the page
			if err := syscall.Kill(sharedDriver(t), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Errorf("the read during which the driver was killed = %v", err)
			}
			s.check(t)
		})
	}
}

// A suspended driver is replaced even if no command uses it, and its pages are adopted before the
// next command.
func TestTheSharedDriverIsStopped(t *testing.T) {
	web := site.Start(t)
	one, two := startWithSecret(t, web), startWithSecret(t, web)
	pid := sharedDriver(t)
	// A driver that is lost within soonLost, which is 10 s, is replaced only when a command
	// needs it.
	time.Sleep(11 * time.Second)
	stopped := time.Now()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	late := startWithSecret(t, web)
	t.Logf("a new session opened a page %s after the stop", time.Since(stopped))
	replaced := func() bool { return syscall.Kill(pid, 0) != nil }
	for !replaced() {
		if time.Since(stopped) > patience {
			t.Fatal("the stopped driver is not ended")
		}
		time.Sleep(20 * time.Millisecond)
	}
	took := time.Since(stopped)
	t.Logf("ended %s after the stop", took)
	// The driver is ended when it has not responded for 5 s. A busy machine may take longer.
	if took > 4*5*time.Second {
		t.Errorf("the stopped driver was ended after %s", took)
	}
	for _, s := range []withSecret{one, two, late} {
		s.check(t)
	}
}

func TestOwnDriver(t *testing.T) {
	web := site.Start(t)
	shared := startWithSecret(t, web)
	home.OwnDrivers = true
	own := startWithSecret(t, web)
	home.OwnDrivers = false
	if all := children(t, "run-driver"); len(all) == 0 {
		t.Error("the session has no driver of its own")
	}
	if err := syscall.Kill(sharedDriver(t), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	own.check(t)
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("with the shared driver stopped, a session with its own takes %s", took)
	}
	if err := syscall.Kill(sharedDriver(t), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	shared.check(t)
}

// Daemons that start and end leave nothing in the driver.
func TestSessionsLeaveNothingInTheDriver(t *testing.T) {
	web := site.Start(t)
	stay := startWithSecret(t, web)
	pid := sharedDriver(t)
	before := descriptors(t, pid)
	for range 5 {
		startWithSecret(t, web).End(t)
	}
	var after int
	for range 100 {
		if after = descriptors(t, pid); after <= before {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if after > before {
		t.Errorf("the driver has %d descriptors, had %d", after, before)
	}
	if left, err := os.ReadDir(home.Root.Path("state", "tmp", "driver-1")); err == nil && countArtifacts(left) > 1 {
		t.Errorf("the driver has %d directories of artifacts, with one session", countArtifacts(left))
	}
	stay.check(t)
}

func countArtifacts(entries []os.DirEntry) int {
	n := 0
	for _, e := range entries {
		if bytes.HasPrefix([]byte(e.Name()), []byte("playwright-artifacts-")) {
			n++
		}
	}
	return n
}

func descriptors(t *testing.T, pid int) int {
	t.Helper()
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}
