package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// defaultIdle is how long a session is idle before its daemon ends, unless
// [wire.Settings].IdleTimeout sets another limit.
const defaultIdle = 30 * time.Minute

// idle counts the running commands, and records when a command ended most recently.
type idle struct {
	changed chan struct{} // has a token if the time that is left may have become shorter
	rests   chan struct{} // has a token if a command has ended and no other runs

	mu      sync.Mutex // guards the fields below
	limit   time.Duration
	running int
	since   time.Time
	awake   time.Time // the session is not idle before this time; zero if no person uses its pages
	used    bool      // a command has begun
}

// firstTime is the least time that a daemon waits for its first command. If the idle limit is
// longer, the daemon waits until that limit is reached.
const firstTime = 10 * time.Second

func newIdle() *idle {
	return &idle{changed: make(chan struct{}, 1), rests: make(chan struct{}, 1), limit: defaultIdle, since: time.Now()}
}

// signalOnce puts a token into a channel with a buffer of one, unless the channel has a token.
func signalOnce(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// set sets the limit from the text of [wire.Settings].IdleTimeout. An empty text changes
// nothing.
func (i *idle) set(text string) error {
	if text == "" {
		return nil
	}
	limit, err := wire.ParseDuration("--idle-timeout", text)
	if err != nil {
		return err
	}
	i.mu.Lock()
	changed := i.limit != limit
	i.limit = limit
	i.mu.Unlock()
	if changed {
		signalOnce(i.changed)
	}
	return nil
}

// begin records that a command starts. The returned function records that the command has ended.
func (i *idle) begin() (end func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.running++
	first := !i.used
	i.used = true
	return func() {
		if first { // watchIdle still waits for firstTime, which may be longer than the limit
			defer signalOnce(i.changed)
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		i.running--
		i.since = time.Now()
		if i.running == 0 {
			signalOnce(i.rests)
		}
	}
}

// stayAwake keeps the session from being idle until the given time, because a person uses its pages.
// A zero time ends that.
func (i *idle) stayAwake(until time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.awake = until
	signalOnce(i.changed)
}

// left returns the time until the idle limit is reached. While a command runs, this is the whole
// limit. While a person uses the pages, the limit is added to the rest of that time. Before the first
// command, the limit is at least firstTime. If there is no limit, ok is false.
func (i *idle) left() (left time.Duration, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.limit == 0:
		return 0, false
	case i.running > 0:
		return i.limit, true
	case !i.used:
		return max(i.limit, firstTime) - time.Since(i.since), true
	default:
		since := i.since
		if i.awake.After(since) {
			since = i.awake
		}
		return i.limit - time.Since(since), true
	}
}

// last returns when the last command ended, or the current time while a command runs.
func (i *idle) last() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.running > 0 {
		return time.Now()
	}
	return i.since
}

// restTime is how long the daemon waits after the last command before it returns memory to the
// operating system. Usually an agent's next command comes sooner.
const restTime = 3 * time.Second

// watchRest calls giveBack when no command has run for restTime. It does so once after the start
// of the daemon, and then once after each period in which commands ran. The function giveBack
// returns memory to the operating system.
func (i *idle) watchRest(ctx context.Context, giveBack func()) {
	timer := time.NewTimer(restTime) // the first call is for the memory that the start took
	defer timer.Stop()
	for {
		select {
		case <-i.rests:
			timer.Reset(restTime)
		case <-timer.C:
			if !i.isRunning() { // the end of a running command resets the timer
				giveBack()
			}
		case <-ctx.Done():
			return
		}
	}
}

func (i *idle) isRunning() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.running > 0
}

// watchIdle ends the daemon when the session has been idle for the limit. The session's tabs stay
// open. A command that arrives while the daemon ends is refused, and its caller starts another
// daemon.
func (s *Session) watchIdle(ctx context.Context) {
	timer := time.NewTimer(defaultIdle)
	defer timer.Stop()
	for {
		left, ok := s.idle.left()
		switch {
		case !ok:
			timer.Stop()
		case left <= 0 && s.queue.stopIdle():
			s.Log.Info("idle for too long")
			s.depart(ctx)
			s.end()
			return
		default:
			timer.Reset(max(left, time.Millisecond))
		}
		select {
		case <-timer.C:
		case <-s.idle.changed:
		case <-ctx.Done():
			return
		}
	}
}

// depart has the broker suspend the session's tabs at once. The tabs stay open, so that a person
// can review them. depart is called after the last command and before the socket is removed.
// Therefore the tabs are already suspended when a client sees that the daemon has ended.
func (s *Session) depart(ctx context.Context) {
	party := ""
	if c := s.current(); c != nil {
		party = c.party
	}
	if err := s.Broker.depart(ctx, party); err != nil {
		s.Log.Warn("leaving the tabs", "error", err) // the broker soon suspends them by itself
	}
}

// keepAwake returns a handler that first applies the settings in the request, and counts the
// verb as activity of the session. If the verb is marked NoStart, the settings are not applied.
// If the verb is marked NoStart and ReadOnly, it does not count as activity either.
func (s *Session) keepAwake(h Handler) Handler {
	spec := h.Verb.Describe()
	if spec.NoStart && spec.ReadOnly {
		return h
	}
	serve := h.Serve
	h.Serve = func(ctx context.Context, call *wire.Call, body []byte) (any, error) {
		defer s.idle.begin()()
		if !spec.NoStart {
			if err := s.applyCallerSettings(ctx, call); err != nil {
				return nil, err
			}
		}
		return serve(ctx, call, body)
	}
	return h
}
