package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Ticket is a command's place in the queue. The command waits, and then has the session's
// pages to itself until the ticket is released.
type Ticket struct {
	queue   *queue
	verb    string
	aside   bool          // see [queue.enter]
	granted chan struct{} // closed when it is the command's turn
	cancel  context.CancelCauseFunc
	// isRecovering reports whether an overdue call waits for the replacement of a broker, a driver
	// or a connection, and not for the page: see [Session.isRecovering]. The field may be nil.
	isRecovering func() bool
	// pageAnswers asks the driver and the page to respond, and reports whether both do so in time:
	// see [Session.diagnose]. It is called when a read is overdue. The field may be nil.
	pageAnswers func() bool
	deferred    func() // work to do after the command was answered; may be nil

	mu           sync.Mutex    // guards the fields below; taken after queue.mu
	overdue      int           // the number of overdue calls that have not returned
	released     bool          // release was called
	deferredDone chan struct{} // closed when the deferred work is done; nil if there is none
}

// release ends the command. The next command's turn begins when every overdue call has returned,
// because a late effect of such a call must not hit the page while another command uses it.
func (t *Ticket) release() {
	t.cancel(nil)
	t.mu.Lock()
	t.released = true
	free := t.overdue == 0
	t.mu.Unlock()
	if free {
		t.queue.advance(t)
	}
}

// Defer sets deferred work: work to do after the command was answered and before the next
// command's turn begins.
func (t *Ticket) Defer(work func()) { t.deferred = work }

// runDeferred does the deferred work, if there is any.
func (t *Ticket) runDeferred() {
	if work := t.deferred; work != nil {
		t.deferred = nil
		work()
	}
}

// releaseAfterDeferred does the deferred work, if there is any, in a goroutine of the group,
// and then releases the ticket.
func (t *Ticket) releaseAfterDeferred(group *sync.WaitGroup) {
	if t.deferred == nil {
		t.release()
		return
	}
	done := make(chan struct{})
	t.mu.Lock()
	t.deferredDone = done
	t.mu.Unlock()
	group.Go(func() {
		defer close(done)
		defer t.release()
		t.runDeferred()
	})
}

// isAnswered reports whether the command was answered while its deferred work was still to do.
func (t *Ticket) isAnswered() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.deferredDone != nil
}

// isOverdue reports whether a call of the command has missed its deadline and not returned.
func (t *Ticket) isOverdue() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.overdue > 0
}

// Grace is how long a call may outlast its own deadline.
const Grace = 3 * time.Second

// Watch runs a call that cannot be cancelled, and returns the call's error. It waits for the call
// for limit plus [Grace]. If the driver or the broker is being replaced at the end of that time,
// Watch waits up to recoveryTime in all. If the call has not returned then, Watch returns
// [wire.CodeWedged], and the next command does not start before the call has returned.
//
// The channel crash is closed when the page of the call crashes. If the call does not return
// within [CrashTime] after that, Watch returns [wire.CodePageCrashed]. The channel may be nil.
func (t *Ticket) Watch(limit time.Duration, crash <-chan struct{}, call func() error) error {
	var finished, overdue bool // guarded by t.mu
	done := make(chan error, 1)
	go func() {
		err := Recover(call)
		t.mu.Lock()
		finished = true
		if overdue {
			t.overdue--
		}
		free := overdue && t.released && t.overdue == 0
		t.mu.Unlock()
		done <- err
		if free {
			t.queue.advance(t)
		}
	}()
	if result, ok := t.await(done, crash, limit+Grace); ok {
		return result.err
	}
	t.mu.Lock()
	if finished {
		t.mu.Unlock()
		return <-done
	}
	overdue = true
	t.overdue++
	t.mu.Unlock()
	return overdueError(t.verb)
}

// Peek runs a call that changes nothing and cannot be cancelled, and returns the call's error. It
// differs from [Ticket.Watch] in two ways. It does not add [Grace] to limit. And if the call is
// overdue, the next command does not wait for it, because a call that changes nothing does no harm.
func (t *Ticket) Peek(limit time.Duration, crash <-chan struct{}, call func() error) error {
	done := t.begin(call)
	if result, ok := t.await(done, crash, limit); ok {
		return result.err
	}
	return overdueError(t.verb)
}

// SlowTime is how much longer than its limit a read of the page may take, if the page still answers.
const SlowTime = 5 * time.Second

// Read runs a call that reads from the page. It differs from [Ticket.Peek] in one way: if the call
// is overdue, Read asks the page to respond. A page that responds is not wedged, but slow, as pages
// are on a busy machine. Read then waits up to [SlowTime] more, and returns [wire.CodeTimeout] if the
// call has not returned after that.
func (t *Ticket) Read(limit time.Duration, crash <-chan struct{}, call func() error) error {
	done := t.begin(call)
	if result, ok := t.await(done, crash, limit); ok {
		return result.err
	}
	if t.pageAnswers == nil || !t.pageAnswers() {
		return overdueError(t.verb)
	}
	if result, ok := awaitCall(done, crash, SlowTime); ok {
		return result.err
	}
	return wire.Errorf(wire.CodeTimeout, "the page answers, but %q took too long", t.verb).WithHint("abrowser status")
}

// begin starts a call that changes nothing. The call's error arrives in the returned channel.
func (t *Ticket) begin(call func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- Recover(call) }() // ends with the page, at the latest
	return done
}

// recoveryTime is how long a call may take while the driver or the broker is being replaced. A
// broker is replaced when it has sent nothing for 5 s (handover.Silence). A shared driver is
// replaced when it does not reply to a ping within about 3 s. The calls that went through the
// replaced process then fail.
const recoveryTime = 15 * time.Second

// result is how a call ended.
type result struct{ err error }

// await waits up to limit for the end of a call, and reports whether the call has ended. If the
// driver or the broker is being replaced when limit is over, await goes on waiting. It then waits
// up to recoveryTime in all.
func (t *Ticket) await(done <-chan error, crash <-chan struct{}, limit time.Duration) (result, bool) {
	began := time.Now()
	got, ok := awaitCall(done, crash, limit)
	if ok || t.isRecovering == nil || limit >= recoveryTime || !t.isRecovering() {
		return got, ok
	}
	return awaitCall(done, crash, recoveryTime-time.Since(began))
}

// CrashTime is the longest time between the failure of a call and the notification that the
// page has crashed. Either of them can come first.
const CrashTime = 200 * time.Millisecond

// awaitCall waits up to limit for the end of a call, and reports whether the call has ended.
// Chromium does not always respond to a call on a page that has crashed. Such a call therefore
// counts as ended [CrashTime] after the crash.
func awaitCall(done <-chan error, crash <-chan struct{}, limit time.Duration) (result, bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return result{err}, true
	case <-timer.C:
		return result{}, false
	case <-crash:
	}
	timer.Reset(CrashTime)
	select {
	case err := <-done:
		return result{err}, true
	case <-timer.C:
		return result{PageCrashedError()}, true
	}
}

// Recover runs a call. If the call panics, Recover returns the panic as an error, because a panic
// in the library that talks to the driver must not end the daemon.
func Recover(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = wire.Errorf(wire.CodeInternal, "panic in the driver's client: %v", p)
		}
	}()
	return call()
}

func overdueError(verb string) error {
	return wire.Errorf(wire.CodeWedged, "the page does not answer; %q is overdue", verb).
		WithHint("abrowser close --page gives the session a fresh page")
}
