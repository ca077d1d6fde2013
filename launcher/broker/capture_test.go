package broker

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestCaptureLockOrder(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	l := &captureLock{clock: func() time.Time { return now }}
	acquire := func(agent wire.AgentKey) func() {
		t.Helper()
		release, busy, err := l.acquire(t.Context(), agent)
		if err != nil || busy != nil {
			t.Fatalf("%s does not get the lock: %+v %v", agent, busy, err)
		}
		return release
	}
	release := acquire("a")
	second := make(chan func(), 1)
	go func() { second <- acquire("b") }() // b waits, since a got the lock less than captureWait ago
	until(t, "b waits", func() bool { l.mu.Lock(); defer l.mu.Unlock(); return len(l.waiting) == 1 })
	short, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.acquire(short, "c"); !errors.Is(err, context.Canceled) {
		t.Errorf("acquire() = %v after its ctx was cancelled", err)
	}
	release()
	release = <-second
	now = now.Add(6234 * time.Millisecond)
	soon, cancel := context.WithTimeout(t.Context(), captureWait)
	defer cancel()
	if _, busy, err := l.acquire(soon, "c"); err != nil || busy == nil || busy.holder != "b" || busy.since != 6234*time.Millisecond {
		t.Errorf("acquire() = %+v %v while another agent has had the lock for too long", busy, err)
	}
	own := make(chan func(), 1)
	go func() { own <- acquire("b") }() // b already holds the lock for another capture
	until(t, "b waits for itself", func() bool { l.mu.Lock(); defer l.mu.Unlock(); return len(l.waiting) == 1 })
	release()
	(<-own)()
	release()
	acquire("c")()
}

// envHolder is an environment variable. Its value is the path of the socket at which a child
// process of the test takes the lock.
const envHolder = "ABB_TEST_CAPTURE"

// playHolder takes the lock and holds it until the process is killed. It returns at once in a
// process without the variable.
func playHolder() {
	socket := os.Getenv(envHolder)
	if socket == "" {
		return
	}
	c := client.Client{Endpoint: home.Endpoint{Socket: socket}, Session: "holder"}
	if _, err := c.Lock(context.Background(), wire.PathCapture); err != nil {
		os.Exit(1)
	}
	os.Stdout.WriteString("held\n")
	time.Sleep(testTime) // the test kills the process earlier
	os.Exit(0)
}

// A request for the lock fails at once if another agent has held the lock for longer than
// captureWait. The lock is released when its holder is killed.
func TestCaptureLock(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	holder := exec.CommandContext(t.Context(), os.Args[0])
	holder.Env = append(os.Environ(), envHolder+"="+r.place.Socket)
	out, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, 5))
	}
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	other := client.Client{Endpoint: r.place, Session: "other"}
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	for _, atMost := range []time.Duration{4 * captureWait, time.Second} { // the first request waits
		asked := time.Now()
		_, err = other.Lock(ctx, wire.PathCapture)
		coded := wire.AsError(err)
		if !errors.Is(err, wire.CodeMutexBusy) || time.Since(asked) > atMost {
			t.Errorf("after %v: %v", time.Since(asked), err)
		}
		const begin, end = "MUTEX_BUSY: Screenshot mutex held by another agent. Holder: holder Held for: ",
			"ms Tab pool: 0/12 Hint: Use page_state (no mutex) or retry after delay."
		if !strings.HasPrefix(coded.Message, begin) || !strings.HasSuffix(coded.Message, end) || coded.Hint == "" {
			t.Errorf("the message is %q", coded.Message)
		}
	}
	if took := time.Since(began); took < captureWait-100*time.Millisecond {
		t.Errorf("the first call did not wait: %v", took)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // the error is that it was killed
	killed := time.Now()
	until(t, "the lock is free", func() bool {
		end, err := other.Lock(ctx, wire.PathCapture)
		if err == nil {
			end()
		}
		return err == nil
	})
	if took := time.Since(killed); took > captureLimit/2 {
		t.Errorf("the lock was released only %v after its holder was killed", took)
	}
}
