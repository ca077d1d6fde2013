package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// lane lets page verbs run one at a time, in order of arrival.
type lane struct {
	mu      sync.Mutex // guards the fields below; never held during I/O
	waiting []*slot
	running *slot
	closed  error // why nothing more runs
}

// slot is a place in the lane: it waits, then has the page to itself until leave.
type slot struct {
	lane   *lane
	verb   string
	turn   chan struct{} // closed when it is this slot's turn
	cancel context.CancelCauseFunc
	// heals reports, of a call that is overdue, whether it will soon end by itself.
	// It may be nil.
	heals func() bool
	rest  func() // what is left to do when the verb has answered; may be nil

	mu      sync.Mutex // guards the fields below; taken after lane.mu
	late    int        // calls that are overdue and have not returned
	left    bool       // the verb has answered
	since   time.Time
	resting chan struct{} // closed when what was left is done; nil where nothing is
}

// enter waits for the lane. The context it returns ends with ctx and when the
// session closes; the slot must be left.
func (l *lane) enter(ctx context.Context, verb string) (context.Context, *slot, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &slot{lane: l, verb: verb, turn: make(chan struct{}), cancel: cancel}
	l.mu.Lock()
	if l.closed != nil {
		err := l.closed
		l.mu.Unlock()
		cancel(err)
		return nil, nil, err
	}
	if l.running == nil {
		l.grantLocked(s)
	} else {
		l.waiting = append(l.waiting, s)
	}
	l.mu.Unlock()
	select {
	case <-s.turn:
		return ctx, s, nil
	case <-ctx.Done():
	}
	ahead, overdue := l.forget(s)
	cancel(nil)
	switch err := ended(ctx); {
	case errors.Is(err, wire.CodeTimeout) && overdue:
		return nil, nil, wedgedError(ahead)
	case errors.Is(err, wire.CodeTimeout):
		return nil, nil, wire.Errorf(wire.CodeTimeout, "%q was still running, so that this command did not start", ahead).
			WithHint("abrowser status")
	default:
		return nil, nil, err
	}
}

// forget takes a slot out of the lane that gave up waiting, and tells which verb
// it waited for and whether that one is overdue.
func (l *lane) forget(s *slot) (ahead string, overdue bool) {
	l.mu.Lock()
	if l.running != nil {
		ahead, overdue = l.running.verb, l.running.overdue()
	}
	for i, w := range l.waiting {
		if w == s {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			break
		}
	}
	granted := l.running == s
	l.mu.Unlock()
	if granted {
		s.leave()
	}
	return ahead, overdue
}

func (l *lane) grantLocked(s *slot) {
	l.running = s
	s.mu.Lock()
	s.since = time.Now()
	s.mu.Unlock()
	close(s.turn)
}

func (l *lane) next(s *slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running != s {
		return
	}
	l.running = nil
	if len(l.waiting) > 0 {
		first := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.grantLocked(first)
	}
}

// leave ends the slot. The next one's turn comes when every overdue call of this
// one has returned: what it still does must not happen to somebody else's page.
func (s *slot) leave() {
	s.cancel(nil)
	s.mu.Lock()
	s.left = true
	free := s.late == 0
	s.mu.Unlock()
	if free {
		s.lane.next(s)
	}
}

// later has something done when the verb has answered, before the next one's turn comes.
func (s *slot) later(rest func()) { s.rest = rest }

// finish does it, where there is something.
func (s *slot) finish() {
	if rest := s.rest; rest != nil {
		s.rest = nil
		rest()
	}
}

// quit is leave, by a goroutine of the group where something is left to do.
func (s *slot) quit(group *sync.WaitGroup) {
	if s.rest == nil {
		s.leave()
		return
	}
	resting := make(chan struct{})
	s.mu.Lock()
	s.resting = resting
	s.mu.Unlock()
	group.Go(func() {
		defer close(resting)
		defer s.leave()
		s.finish()
	})
}

// leftTime is how long what a verb has left to do is waited for by what ends the session.
const leftTime = 2 * time.Second

// rested waits until nothing is left to do of a verb that has answered.
func (l *lane) rested() {
	l.mu.Lock()
	running := l.running
	l.mu.Unlock()
	if running == nil {
		return
	}
	running.mu.Lock()
	resting := running.resting
	running.mu.Unlock()
	if resting == nil {
		return
	}
	timer := time.NewTimer(leftTime)
	defer timer.Stop()
	select {
	case <-resting:
	case <-timer.C:
	}
}

// overdue reports whether a call of the slot has missed its deadline.
func (s *slot) overdue() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.late > 0
}

// grace is how long a call may take beyond its own deadline.
const grace = 3 * time.Second

// watch runs a call that cannot be cancelled and returns when it does, or with
// [wire.CodeWedged] when it has not returned within limit and a grace. The slot
// stays taken until the call has returned. Where crash is not nil, the call is on a
// page whose crash closes it: [wire.CodePageCrashed].
func (s *slot) watch(limit time.Duration, crash <-chan struct{}, call func() error) error {
	var finished, overdue bool // guarded by s.mu
	done := make(chan error, 1)
	go func() {
		err := guarded(call)
		s.mu.Lock()
		finished = true
		if overdue {
			s.late--
		}
		free := overdue && s.left && s.late == 0
		s.mu.Unlock()
		done <- err
		if free {
			s.lane.next(s)
		}
	}()
	if result, ok := s.within(done, crash, limit+grace); ok {
		return result.err
	}
	s.mu.Lock()
	if finished {
		s.mu.Unlock()
		return <-done
	}
	overdue = true
	s.late++
	s.mu.Unlock()
	return wedgedError(s.verb)
}

// peek is watch for a call that only looks. One that is overdue does no harm when
// it returns at last, so that the slot need not stay taken for it.
func (s *slot) peek(limit time.Duration, crash <-chan struct{}, call func() error) error {
	done := make(chan error, 1)
	go func() { done <- guarded(call) }() // ends with the page, at the latest
	if result, ok := s.within(done, crash, limit); ok {
		return result.err
	}
	return wedgedError(s.verb)
}

// healTime is how long a call may take when what drives the page is being replaced:
// a driver or broker that says nothing for 5 s is, and its calls end with it.
const healTime = 15 * time.Second

// within waits for a call's end, and longer than limit where that heals.
func (s *slot) within(done <-chan error, crash <-chan struct{}, limit time.Duration) (result, bool) {
	began := time.Now()
	got, ok := within(done, crash, limit)
	if ok || s.heals == nil || limit >= healTime || !s.heals() {
		return got, ok
	}
	return within(done, crash, healTime-time.Since(began))
}

// result is how a call ended.
type result struct{ err error }

// within waits for a call's end and reports whether it came in time. Of a call on a
// page that crashes it is not waited for: Chromium does not always answer then.
func within(done <-chan error, crash <-chan struct{}, limit time.Duration) (result, bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return result{err}, true
	case <-timer.C:
		return result{}, false
	case <-crash:
	}
	timer.Reset(crashTime)
	select {
	case err := <-done:
		return result{err}, true
	case <-timer.C:
		return result{crashedError()}, true
	}
}

// guarded turns a panic of the driver's client into an error: it must not take
// the session down.
func guarded(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = wire.Errorf(wire.CodeInternal, "the driver's client panicked: %v", p)
		}
	}()
	return call()
}

// stop cancels what runs and waits, except the slot keep. What comes then is told
// that nobody is here any more.
func (l *lane) stop(keep *slot, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = errEnding()
	for _, s := range l.waiting {
		s.cancel(why)
	}
	if l.running != nil && l.running != keep {
		l.running.cancel(why)
	}
}

// isResting reports whether the verb has answered already.
func (s *slot) isResting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resting != nil
}

// laneState is what the lane does at a moment.
type laneState struct {
	verb    string
	waiting int
	overdue bool
}

func (l *lane) state() laneState {
	l.mu.Lock()
	defer l.mu.Unlock()
	st := laneState{waiting: len(l.waiting)}
	if l.running != nil {
		st.verb, st.overdue = l.running.verb, l.running.overdue()
		if l.running.isResting() && !st.overdue {
			st.verb = ""
		}
	}
	return st
}

// ended is the coded reason for which ctx is done.
func ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	var coded *wire.Error
	switch {
	case errors.As(cause, &coded):
		return coded
	case errors.Is(cause, context.DeadlineExceeded):
		return wire.Errorf(wire.CodeTimeout, "the caller's deadline passed")
	default:
		return wire.Errorf(wire.CodeInterrupted, "the caller went away, the command was given up")
	}
}

func wedgedError(verb string) error {
	return wire.Errorf(wire.CodeWedged, "the page does not answer; %q is overdue", verb).
		WithHint("abrowser close --page gives the session a fresh page")
}

// stopIdle is stop when nothing runs or waits, and reports whether that is so.
func (l *lane) stopIdle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running != nil || len(l.waiting) > 0 {
		return false
	}
	l.closed = errEnding()
	return true
}

// ends reports whether what comes now is too late.
func (l *lane) ends() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed != nil
}

// errEnding is what comes too late is told. Its caller starts another daemon.
func errEnding() error {
	return wire.Errorf(wire.CodeNotRunning, "the session's daemon is ending; run the command again")
}
