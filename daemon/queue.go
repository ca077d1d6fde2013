package daemon

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// queue lets the commands that use a page run one at a time, in order of arrival.
type queue struct {
	mu      sync.Mutex // guards the fields below; never held during I/O
	waiting []*Ticket
	running *Ticket
	closed  error // the error for later commands; nil while commands are accepted
}

// enter waits until it is the command's turn. The returned context ends when ctx ends, when the
// session is closed, or when the ticket is released. The caller must release the ticket. The
// parameter aside says that this is not a command of the session's task: a person reads beside it
// (see [verbs.Asider]), or the daemon reconnects.
func (q *queue) enter(ctx context.Context, verb string, aside bool) (context.Context, *Ticket, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &Ticket{queue: q, verb: verb, aside: aside, granted: make(chan struct{}), cancel: cancel}
	q.mu.Lock()
	if q.closed != nil {
		err := q.closed
		q.mu.Unlock()
		cancel(err)
		return nil, nil, err
	}
	if q.running == nil {
		q.grantLocked(t)
	} else {
		q.waiting = append(q.waiting, t)
	}
	q.mu.Unlock()
	select {
	case <-t.granted:
		return ctx, t, nil
	case <-ctx.Done():
	}
	ahead, overdue := q.withdraw(t)
	cancel(nil)
	switch err := ContextError(ctx); {
	case errors.Is(err, wire.CodeTimeout) && overdue:
		return nil, nil, overdueError(ahead)
	case errors.Is(err, wire.CodeTimeout):
		return nil, nil, wire.Errorf(wire.CodeTimeout, "command not started: %q was still running", ahead).
			WithHint("abrowser status")
	default:
		return nil, nil, err
	}
}

// withdraw removes the ticket of a command that has stopped waiting. It returns the verb whose
// turn it is, and whether a call of that verb is overdue.
func (q *queue) withdraw(t *Ticket) (ahead string, overdue bool) {
	q.mu.Lock()
	if q.running != nil {
		ahead, overdue = q.running.verb, q.running.isOverdue()
	}
	if at := slices.Index(q.waiting, t); at >= 0 {
		q.waiting = slices.Delete(q.waiting, at, at+1)
	}
	granted := q.running == t
	q.mu.Unlock()
	if granted {
		t.release()
	}
	return ahead, overdue
}

func (q *queue) grantLocked(t *Ticket) {
	q.running = t
	close(t.granted)
}

// advance ends the turn of t and begins the turn of the next ticket. If it is not the turn of
// t, advance does nothing.
func (q *queue) advance(t *Ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running != t {
		return
	}
	q.running = nil
	if len(q.waiting) > 0 {
		first := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.grantLocked(first)
	}
}

// deferredTime is how long a request to close the session or to end the daemon waits for deferred
// work.
const deferredTime = 2 * time.Second

// awaitDeferred waits up to deferredTime for deferred work: see [Ticket.Defer]. It waits only if
// the last command has been answered and only its deferred work is still being done.
func (q *queue) awaitDeferred() {
	q.mu.Lock()
	running := q.running
	q.mu.Unlock()
	if running == nil {
		return
	}
	running.mu.Lock()
	done := running.deferredDone
	running.mu.Unlock()
	if done == nil {
		return
	}
	select {
	case <-done:
	case <-time.After(deferredTime):
	}
}

// stop cancels the commands that run or wait, with why as the cause. It does not cancel the running
// command whose ticket is spared. Later commands get [wire.CodeNotRunning], so that their callers
// start another daemon.
func (q *queue) stop(spared *Ticket, why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = endingError()
	for _, t := range q.waiting {
		t.cancel(why)
	}
	if q.running != nil && q.running != spared {
		q.running.cancel(why)
	}
}

// stopIdle stops the queue if no command runs or waits, and reports whether it did.
func (q *queue) stopIdle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running != nil || len(q.waiting) > 0 {
		return false
	}
	q.closed = endingError()
	return true
}

// isStopped reports whether no command is accepted any more.
func (q *queue) isStopped() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed != nil
}

func endingError() error {
	return wire.Errorf(wire.CodeNotRunning, "daemon of the session is ending; run the command again")
}

// queueState is the state of the queue at one moment.
type queueState struct {
	verb    string
	aside   bool // see [queue.enter]
	waiting int
	overdue bool
}

func (q *queue) state() queueState {
	q.mu.Lock()
	defer q.mu.Unlock()
	st := queueState{waiting: len(q.waiting)}
	if q.running != nil {
		st.verb, st.aside, st.overdue = q.running.verb, q.running.aside, q.running.isOverdue()
		if q.running.isAnswered() && !st.overdue {
			st.verb = ""
		}
	}
	return st
}
