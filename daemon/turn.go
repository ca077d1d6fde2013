package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	actionTime = 10 * time.Second // for actions, where nothing else is asked for
	waitTime   = 25 * time.Second // for wait, open and eval
	quickTime  = 5 * time.Second  // for what answers at once on a page that is well
	maxTime    = 24 * time.Hour
	sliceTime  = 250 * time.Millisecond
)

// turn is a page verb while it has the lane.
type turn struct {
	*Session
	call  *wire.Call
	slot  *slot
	verb  string
	looks bool // it only reads, which any agent may
	reads bool // it changes nothing, and does not wait: it can be done twice
	// foreign is set for a caller that may only read: what happened to the session is
	// told to its own agent.
	foreign   bool
	tab       string        // that it looks at; empty for the active one
	page      *page         // that it acts on or looks at, nil before it has been found
	aims      string        // the tab that it does something to, where it names one
	undone    bool          // whatever the command was doing, it has done nothing
	begun     bool          // the command has changed something, or may have
	until     time.Time     // when the command's time is over; zero before it is known
	remaining time.Duration // of the command's time, when it runs once more; else 0
	ahead     bool          // a page has answered us, and Playwright may not have told of it
	arrived   bool          // the page is known not to be navigating
	leaves    bool          // it navigates, and replaces what the page is loading
	listed    bool          // it can be answered with what the browser lists of the tab
	// direct is set while the last that was asked of the page we have asked ourselves.
	direct bool
	typed  bool // the page has taken keyboard input, and has not said since whether it navigates
}

// watch runs a call on the page that cannot be cancelled: see [slot.watch].
func (t *turn) watch(limit time.Duration, call func() error) error {
	t.direct = false
	err := t.slot.watch(limit, t.crash(), call)
	t.noticed(err)
	return err
}

// manage is watch for a call that is about tabs, and on none of them.
func (t *turn) manage(limit time.Duration, call func() error) error {
	t.direct = false
	err := t.slot.watch(limit, nil, call)
	t.noticed(err)
	return err
}

// peek runs a call on the page that only looks: see [slot.peek].
func (t *turn) peek(limit time.Duration, call func() error) error {
	t.direct = false
	err := t.slot.peek(limit, t.crash(), call)
	t.noticed(err)
	return err
}

// unless is what a question that timed out says of the page, unless it was not the page
// that did not answer: what is being replaced takes the connection with it, and then the
// command is done once more.
func (t *turn) unless(p *page, said error) error {
	if !t.healing() {
		return said
	}
	timer := time.NewTimer(healTime)
	defer timer.Stop()
	select {
	case <-p.link.gone:
		return goneError()
	case <-timer.C:
		return said
	}
}

// crash is closed when the page crashes that the verb has found.
func (t *turn) crash() <-chan struct{} {
	if t.page == nil {
		return nil
	}
	return t.page.crash
}

// look is [turn.peek] for a question with an answer. What comes too late is nobody's:
// the zero value is returned, and the call's own is left to it.
func look[T any](t *turn, limit time.Duration, question func() (T, error)) (T, error) {
	answers := make(chan T, 1)
	err := t.peek(limit, func() error {
		answer, err := question()
		answers <- answer
		return err
	})
	var none T
	if err != nil {
		return none, err
	}
	return <-answers, nil
}

// noticed gives the connection up when an error says that the driver is gone.
func (t *turn) noticed(err error) {
	if _, l := t.known(); l != nil && driverGone(err) {
		l.lost()
	}
}

// attempt runs a verb, and once more on a new connection when the first was lost
// before anything was done, which is what [wire.CodeBrowserGone] says of a verb, or
// where the verb does nothing.
func attempt[In, Out any](ctx context.Context, t *turn, in In, serve func(*turn, context.Context, In) (Out, error)) (Out, error) {
	if t.verb != verbs.Batch.Name { // whose commands tell, each in its result; what comes behind the last is the next one's
		defer t.tellNews()
		defer t.tellOwed(ctx)
	}
	out, err := serve(t, ctx, in)
	again, err := t.explain(ctx, err)
	if again {
		t.log.Info("once more", "verb", t.slot.verb)
		t.remaining = max(time.Until(t.until), time.Millisecond)
		out, err = serve(t, ctx, in)
		_, err = t.explain(ctx, err)
	}
	if t.begun && errors.Is(err, wire.CodeInterrupted) {
		err = wire.Errorf(wire.CodeResultUnknown, "%s interrupted: it had begun, and what it did until then stays", t.verb).WithHint(hintSnapshot)
	}
	if errors.Is(err, wire.CodeNotRunning) { // said of the broker; the caller would take it for us
		err = wire.Errorf(wire.CodeBrowserGone, "the browser went away: %v", err).WithHint("abrowser browser status")
	}
	return out, err
}

// within bounds a command by what its caller asked for, or by usual. It connects
// first, where that is still to be done: a start is not the page's fault, and
// takes of the caller's patience, not of the command's.
func (t *turn) within(ctx context.Context, asked int, usual time.Duration) (context.Context, context.CancelFunc, error) {
	limit := usual
	if asked != 0 {
		limit = time.Duration(asked) * time.Millisecond
		if asked < 0 || limit > maxTime || limit < 0 {
			return nil, nil, wire.Errorf(wire.CodeBadInput, "timeout is %d; it takes milliseconds from 1 to %d", asked, maxTime.Milliseconds()).
				WithHint("abrowser help lists the flags of each command")
		}
	}
	if _, err := t.linked(ctx); err != nil {
		return nil, nil, err
	}
	if t.remaining > 0 {
		limit = min(limit, t.remaining)
	}
	t.until = time.Now().Add(limit)
	ctx, cancel := context.WithDeadlineCause(ctx, t.until,
		wire.Errorf(wire.CodeTimeout, "not done within %v", limit).WithHint("--timeout takes more milliseconds"))
	return ctx, cancel, nil
}

// isLeft reports whether nobody waits any more for what is about to be done.
func (t *turn) isLeft(ctx context.Context) bool { return ctx.Err() != nil || t.call.IsCallerGone() }

// slice is the length of the next slice of waiting: the longest allowed, or what
// is left. Each ends before the lane goes on, so that a command given up is over.
func slice(ctx context.Context, longest time.Duration) time.Duration {
	if at, ok := ctx.Deadline(); ok {
		longest = min(longest, time.Until(at))
	}
	return max(longest, 10*time.Millisecond)
}

// pause waits a moment between two looks, and reports whether ctx still goes on.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// ask runs a question that changes nothing and does not wait for its answer
// beyond ctx: a page that is busy answers later, to nobody.
func ask[T any](ctx context.Context, l *link, question func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	got := make(chan answer, 1)
	l.hand(func() {
		value, err := question()
		got <- answer{value, err}
	})
	var none T
	select {
	case a := <-got:
		return a.value, a.err
	case <-l.gone:
		return none, goneError()
	case <-ctx.Done():
		return none, ended(ctx)
	}
}
