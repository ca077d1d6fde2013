package broker

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A keeper is killed while one of the browser's processes is suspended. The browser keeps running,
// and another keeper takes over.
func TestKeeperIsKilled(t *testing.T) {
	t.Parallel()
	r := newRig(t, wire.Settings{})
	cmd := r.keeper()
	r.awaitBroker()
	t.Cleanup(func() { _, _ = try(r, verbs.BrowserStop, verbs.BrowserStopIn{}) })
	a := r.connect("a")
	p := a.open()
	p.show(r.site.URL, `<input id=i>`)
	p.eval(`i.value = 'typed'`)
	before := ask(r, verbs.BrowserStatus, verbs.Empty{})
	resume := suspendGPU(t, r.root.Dir)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	until(t, "another keeper runs", func() bool {
		return ask(r, verbs.BrowserStatus, verbs.Empty{}).KeeperPID != before.KeeperPID
	})
	resume()
	if got := p.eval("i.value"); got != `"typed"` {
		t.Errorf("on its old connection the page has %s, want what was typed", got)
	}
	after := ask(r, verbs.BrowserStatus, verbs.Empty{})
	if after.BrokerPID != before.BrokerPID || after.BrowserPID != before.BrowserPID {
		t.Errorf("broker and browser are %d and %d, want %d and %d", after.BrokerPID, after.BrowserPID, before.BrokerPID, before.BrowserPID)
	}
	// The new keeper restarts the broker too.
	if err := syscall.Kill(after.BrokerPID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "another broker answers", func() bool {
		s, err := try(r, verbs.BrowserStatus, verbs.Empty{})
		return err == nil && s.BrokerPID != after.BrokerPID
	})
	again := r.connect("a")
	if got := again.tab(p.target).eval("i.value"); got != `"typed"` {
		t.Errorf("after keeper and broker were killed the page has %s, want what was typed", got)
	}
	ask(r, verbs.BrowserStop, verbs.BrowserStopIn{})
	until(t, "all processes have ended", func() bool { return len(processes(r.root.Dir)) == 0 })
}

// suspendGPU suspends the GPU process of the browser whose files are in dir. The function that it
// returns resumes the process.
func suspendGPU(t *testing.T, dir string) func() {
	t.Helper()
	for _, p := range processes(dir) {
		number, args, _ := strings.Cut(p, " ")
		pid, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(args, "--type=gpu-process") {
			continue
		}
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		until(t, "the GPU process is suspended", func() bool {
			state, err := os.ReadFile("/proc/" + number + "/stat")
			return err == nil && strings.Contains(string(state), ") T ")
		})
		return func() {
			if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
				t.Errorf("resuming the GPU process: %v", err)
			}
		}
	}
	t.Fatal("the browser has no GPU process")
	return nil
}

// If a keeper was stopped, or its machine was suspended, the keeper does not count that time as
// silence of the broker.
func TestKeeperThatWasStopped(t *testing.T) {
	t.Parallel()
	r := newRig(t, wire.Settings{})
	cmd := r.keeper()
	r.awaitBroker()
	t.Cleanup(func() { _, _ = try(r, verbs.BrowserStop, verbs.BrowserStopIn{}) })
	p := r.connect("a").open()
	before := ask(r, verbs.BrowserStatus, verbs.Empty{})
	for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		time.Sleep(handover.Silence + tickEvery) // the keeper is stopped in the first round, and runs in the second
	}
	if got, err := p.try("6*7"); got != "42" {
		t.Errorf("on its old connection 6*7 is %s, %v in the page", got, err)
	}
	if after := ask(r, verbs.BrowserStatus, verbs.Empty{}); after.BrokerPID != before.BrokerPID || after.KeeperPID != before.KeeperPID {
		t.Errorf("broker and keeper are %d and %d, want %d and %d", after.BrokerPID, after.KeeperPID, before.BrokerPID, before.KeeperPID)
	}
	ask(r, verbs.BrowserStop, verbs.BrowserStopIn{})
	until(t, "all processes have ended", func() bool { return len(processes(r.root.Dir)) == 0 })
}

// The verb browser stop succeeds even if the keeper dies in the meantime. If the keeper dies before
// it has read the request, the next keeper gets the request.
func TestKeeperIsKilledWhileItStopsTheBrowser(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{0, 20 * time.Millisecond, 60 * time.Millisecond, 120 * time.Millisecond} {
		t.Run(after.String(), func(t *testing.T) { killedWhileStopping(t, after) })
	}
}

func killedWhileStopping(t *testing.T, after time.Duration) {
	r := newRig(t, wire.Settings{})
	cmd := r.keeper()
	r.awaitBroker()
	t.Cleanup(func() { _, _ = try(r, verbs.BrowserStop, verbs.BrowserStopIn{}) })
	if after == 0 {
		if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		after = 500 * time.Millisecond // the broker has sent the request by then
	}
	stopped := make(chan error, 1)
	go func() {
		_, err := try(r, verbs.BrowserStop, verbs.BrowserStopIn{})
		stopped <- err
	}()
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if err := <-stopped; err != nil {
		t.Errorf("stopping the browser: %v", err)
	}
	until(t, "all processes have ended", func() bool { return len(processes(r.root.Dir)) == 0 })
}

// A keeper that has replaced a dead keeper also replaces a broker that never sends it a message.
// It replaces this broker after [handover.Silence], like any other silent broker.
func TestKeeperTakesOverASilentBroker(t *testing.T) {
	t.Parallel()
	r := newRig(t, wire.Settings{})
	cmd := r.keeper()
	r.awaitBroker()
	t.Cleanup(func() { _, _ = try(r, verbs.BrowserStop, verbs.BrowserStopIn{}) })
	before := ask(r, verbs.BrowserStatus, verbs.Empty{})
	keepers := func() int {
		n := 0
		for _, p := range processes(r.root.Dir) {
			if strings.Contains(p, " abrowser keeper") {
				n++
			}
		}
		return n
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for began := time.Now(); keepers() == 0; { // no pause, so that the broker is stopped before its first message
		if time.Since(began) > testTime/2 {
			t.Fatal("no keeper takes over")
		}
	}
	if err := syscall.Kill(before.BrokerPID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	stopped := time.Now()
	// A request that was sent to the silent broker may be answered by the next broker.
	until(t, "another broker answers", func() bool {
		s, err := try(r, verbs.BrowserStatus, verbs.Empty{})
		return err == nil && s.BrokerPID != before.BrokerPID
	})
	if took := time.Since(stopped); took > testTime/2 { // the limit is handover.Silence
		t.Errorf("the stopped broker was replaced after %s", took)
	}
	ask(r, verbs.BrowserStop, verbs.BrowserStopIn{})
	until(t, "all processes have ended", func() bool { return len(processes(r.root.Dir)) == 0 })
}
