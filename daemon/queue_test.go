package daemon

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestQueueWaitsForOverdueCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		_, first, err := q.enter(t.Context(), "click", false)
		if err != nil {
			t.Fatal(err)
		}
		release := make(chan struct{})
		err = first.Watch(time.Second, nil, func() error { <-release; return nil })
		if !errors.Is(err, wire.CodeWedged) {
			t.Fatalf("Watch() = %v, want %s", err, wire.CodeWedged)
		}
		first.release()
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, _, err := q.enter(short, "open", false); !errors.Is(err, wire.CodeWedged) {
			t.Errorf("enter() while a call is overdue = %v, want %s", err, wire.CodeWedged)
		}
		if st := q.state(); st.verb != "click" || !st.overdue || st.waiting != 0 {
			t.Errorf("state() = %+v", st)
		}
		close(release)
		_, second, err := q.enter(t.Context(), "open", false)
		if err != nil {
			t.Fatalf("enter() after the overdue call returned = %v", err)
		}
		second.release()
		if st := q.state(); st != (queueState{}) {
			t.Errorf("state() at the end = %+v", st)
		}
	})
}

func TestQueueStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		ctx, first, err := q.enter(t.Context(), "wait", false)
		if err != nil {
			t.Fatal(err)
		}
		waits := make(chan error, 1)
		go func() {
			_, _, err := q.enter(t.Context(), "open", false)
			waits <- err
		}()
		synctest.Wait()
		if q.stopIdle() {
			t.Error("stopIdle() of a queue with a running command = true")
		}
		why := wire.Errorf(wire.CodeInterrupted, "closed")
		q.stop(nil, why)
		if err := ContextError(ctx); !errors.Is(err, wire.CodeInterrupted) {
			t.Errorf("the running command ended with %v", err)
		}
		if err := <-waits; !errors.Is(err, wire.CodeInterrupted) {
			t.Errorf("the waiting command ended with %v", err)
		}
		first.release()
		if _, _, err := q.enter(t.Context(), "open", false); !errors.Is(err, wire.CodeNotRunning) {
			t.Errorf("a later command ended with %v", err)
		}
	})
}

// Deferred work is done after the reply and before the next command's turn. While it is being
// done, no command counts as running.
func TestQueueDeferredWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		var left sync.WaitGroup
		_, first, err := q.enter(t.Context(), "click", false)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		first.Defer(func() { time.Sleep(time.Second) })
		first.releaseAfterDeferred(&left)
		if took := time.Since(began); took != 0 {
			t.Errorf("the release took %s", took)
		}
		if st := q.state(); st != (queueState{}) || q.stopIdle() {
			t.Errorf("state() = %+v, and the queue may be stopped", st)
		}
		go q.awaitDeferred()
		_, second, err := q.enter(t.Context(), "open", false)
		if took := time.Since(began); err != nil || took != time.Second {
			t.Errorf("enter() = %v, after %s", err, took)
		}
		done := 0
		second.Defer(func() { done++ })
		second.runDeferred()
		second.runDeferred()
		second.releaseAfterDeferred(&left)
		if !q.stopIdle() || done != 1 {
			t.Errorf("the deferred work was done %d times", done)
		}
		left.Wait()
	})
}

// The end of a session waits for deferred work for at most deferredTime.
func TestAwaitDeferredIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		var left sync.WaitGroup
		_, slot, err := q.enter(t.Context(), "click", false)
		if err != nil {
			t.Fatal(err)
		}
		slot.Defer(func() { time.Sleep(time.Hour) })
		slot.releaseAfterDeferred(&left)
		began := time.Now()
		q.awaitDeferred()
		if took := time.Since(began); took != deferredTime {
			t.Errorf("awaitDeferred() took %s", took)
		}
		left.Wait()
	})
}

func TestQueueKeepsOrderWhenOneWithdraws(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		_, first, err := q.enter(t.Context(), "a", false)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() { _, _, err := q.enter(ctx, "b", false); gone <- err }()
		synctest.Wait()
		next := make(chan *Ticket, 1)
		go func() { _, s, _ := q.enter(t.Context(), "c", false); next <- s }()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, wire.CodeInterrupted) {
			t.Errorf("enter() of a cancelled command = %v", err)
		}
		first.release()
		s := <-next
		if s.verb != "c" {
			t.Errorf("the next is %q", s.verb)
		}
		s.release()
	})
}

func TestWatchRecoversPanic(t *testing.T) {
	var q queue
	_, s, err := q.enter(t.Context(), "click", false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.release()
	if err := s.Watch(time.Second, nil, func() error { panic("no") }); !errors.Is(err, wire.CodeInternal) {
		t.Errorf("Watch() of a panic = %v, want %s", err, wire.CodeInternal)
	}
}

// A call on a page that crashes may never return. Neither its command nor the next command
// waits for it.
func TestCrashEndsCall(t *testing.T) {
	var q queue
	_, s, err := q.enter(t.Context(), "get text", false)
	if err != nil {
		t.Fatal(err)
	}
	never := make(chan struct{})
	defer close(never)
	for name, run := range map[string]func(time.Duration, <-chan struct{}, func() error) error{"watch": s.Watch, "peek": s.Peek} {
		began, crash := time.Now(), make(chan struct{})
		time.AfterFunc(10*time.Millisecond, func() { close(crash) })
		if err := run(10*time.Second, crash, func() error { <-never; return nil }); !errors.Is(err, wire.CodePageCrashed) {
			t.Errorf("%s = %v after %s", name, err, time.Since(began))
		}
	}
	if s.isOverdue() {
		t.Error("the queue waits for a call on a page that is gone")
	}
	s.release()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, next, err := q.enter(ctx, "open", false); err != nil {
		t.Error(err)
	} else {
		next.release()
	}
}

// A read that is overdue goes on if the page still answers.
func TestReadOfASlowPage(t *testing.T) {
	const limit = time.Second
	for _, tt := range []struct {
		name    string
		takes   time.Duration
		answers bool
		code    wire.Code
		after   time.Duration
	}{
		{"in time", limit / 2, false, "", limit / 2},
		{"slow", limit + SlowTime/2, true, "", limit + SlowTime/2},
		{"too slow", time.Hour, true, wire.CodeTimeout, limit + SlowTime},
		{"wedged", time.Hour, false, wire.CodeWedged, limit},
	} {
		synctest.Test(t, func(t *testing.T) {
			var q queue
			_, ticket, err := q.enter(t.Context(), "get count", false)
			if err != nil {
				t.Fatal(err)
			}
			ticket.pageAnswers = func() bool { return tt.answers }
			began := time.Now()
			err = ticket.Read(limit, nil, func() error { time.Sleep(tt.takes); return nil })
			if tt.code == "" && err != nil || tt.code != "" && !errors.Is(err, tt.code) || time.Since(began) != tt.after {
				t.Errorf("%s: Read() = %v after %s, want %q after %s", tt.name, err, time.Since(began), tt.code, tt.after)
			}
			ticket.release()
			time.Sleep(2 * time.Hour) // until the call has returned
		})
	}
}
