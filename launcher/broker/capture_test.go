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

func TestCaptureTurns(t *testing.T) {
	now := time.Unix(1000, 0)
	c := &capture{clock: func() time.Time { return now }}
	take := func(agent wire.AgentKey) func() {
		t.Helper()
		release, busy, err := c.take(t.Context(), agent)
		if err != nil || busy != nil {
			t.Fatalf("%s does not get it: %+v %v", agent, busy, err)
		}
		return release
	}
	release := take("a")
	second := make(chan func(), 1)
	go func() { second <- take("b") }() // it waits, for a's time is not over
	until(t, "b waits", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return len(c.waiting) == 1 })
	short, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.take(short, "c"); !errors.Is(err, context.Canceled) {
		t.Errorf("who gives up gets %v", err)
	}
	release()
	release = <-second
	now = now.Add(6234 * time.Millisecond)
	soon, cancel := context.WithTimeout(t.Context(), captureWait)
	defer cancel()
	if _, busy, err := c.take(soon, "c"); err != nil || busy == nil || busy.holder != "b" || busy.since != 6234*time.Millisecond {
		t.Errorf("behind one that has it for long: %+v %v", busy, err)
	}
	own := make(chan func(), 1)
	go func() { own <- take("b") }() // its own captures are waited for
	until(t, "b waits for itself", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return len(c.waiting) == 1 })
	release()
	(<-own)()
	release()
	take("c")()
}

// envHolder names the socket where a process of the test's takes the lock.
const envHolder = "ABB_TEST_CAPTURE"

// playHolder takes the lock and keeps it until the process is killed.
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
	time.Sleep(testTime) // it is killed before
	os.Exit(0)
}

// A holder that is killed frees the lock; who waits for one that has it for more than
// 3 s is told at once.
func TestCaptureLock(t *testing.T) {
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
	for _, atMost := range []time.Duration{4 * captureWait, time.Second} { // at first it is waited for
		asked := time.Now()
		_, err = other.Lock(ctx, wire.PathCapture)
		coded := wire.AsError(err)
		if !errors.Is(err, wire.CodeMutexBusy) || time.Since(asked) > atMost {
			t.Errorf("after %v: %v", time.Since(asked), err)
		}
		const begin, end = "MUTEX_BUSY: Screenshot mutex held by another agent. Holder: holder Held for: ",
			"ms Tab pool: 0/12 Hint: Use page_state (no mutex) or retry after delay."
		if !strings.HasPrefix(coded.Message, begin) || !strings.HasSuffix(coded.Message, end) || coded.Hint == "" {
			t.Errorf("it says %q", coded.Message)
		}
	}
	if took := time.Since(began); took < captureWait-100*time.Millisecond {
		t.Errorf("it was not waited for: %v", took)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // it was killed
	killed := time.Now()
	until(t, "the lock is free", func() bool {
		end, err := other.Lock(ctx, wire.PathCapture)
		if err == nil {
			end()
		}
		return err == nil
	})
	if took := time.Since(killed); took > captureLimit/2 {
		t.Errorf("it was free %v after its holder's end, as of a frozen one", took)
	}
}
