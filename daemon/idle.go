package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// defaultIdle is how long a session does nothing before its daemon ends.
const defaultIdle = 30 * time.Minute

// idle counts what runs, and knows since when nothing does.
type idle struct {
	changed chan struct{} // one token: the limit is another one
	rests   chan struct{} // one token: what ran last has ended

	mu      sync.Mutex // guards the fields below
	limit   time.Duration
	running int
	since   time.Time
	used    bool // something has run
}

// firstTime is how long a daemon waits at least for what it was started for.
const firstTime = 10 * time.Second

func newIdle() *idle {
	return &idle{changed: make(chan struct{}, 1), rests: make(chan struct{}, 1), limit: defaultIdle, since: time.Now()}
}

// set takes over a limit as [wire.Settings] has it; an empty one changes nothing.
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
		select {
		case i.changed <- struct{}{}:
		default:
		}
	}
	return nil
}

// begin is the start of something that keeps the daemon; the function it returns is
// its end.
func (i *idle) begin() (end func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.running++
	i.used = true
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.running--
		i.since = time.Now()
		if i.running == 0 {
			select {
			case i.rests <- struct{}{}:
			default:
			}
		}
	}
}

// left is how long nothing may run from now on until the limit is reached; ok is
// false where there is none.
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
		return i.limit - time.Since(i.since), true
	}
}

// last is when something ran last: now, while something does.
func (i *idle) last() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.running > 0 {
		return time.Now()
	}
	return i.since
}

// restTime is how long nothing runs before memory is given back. It is longer than
// an agent's next command takes to come, mostly.
const restTime = 3 * time.Second

// watchRest calls give when something has run, and nothing for restTime since.
func (i *idle) watchRest(ctx context.Context, give func()) {
	timer := time.NewTimer(restTime) // for what starting took
	defer timer.Stop()
	for {
		select {
		case <-i.rests:
			timer.Reset(restTime)
		case <-timer.C:
			if !i.isRunning() { // whose end comes yet
				give()
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

// watchIdle ends the daemon when the session has done nothing for long. Its tabs
// stay. What comes at the same moment finds no daemon, and starts another one.
func (s *Session) watchIdle(ctx context.Context) {
	timer := time.NewTimer(defaultIdle)
	defer timer.Stop()
	for {
		left, ok := s.idle.left()
		switch {
		case !ok:
			timer.Stop()
		case left <= 0 && s.lane.stopIdle():
			s.log.Info("idle for too long")
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

// depart leaves the session's tabs for review. It is called when no command can come any
// more and before the socket goes: who sees that the daemon has ended finds them released.
func (s *Session) depart(ctx context.Context) {
	party := ""
	if _, l := s.known(); l != nil {
		party = l.party
	}
	if err := s.broker.depart(ctx, party); err != nil {
		s.log.Warn("leaving the tabs", "error", err) // the broker leaves them by itself soon
	}
}

// counted has a verb keep the daemon while it runs, unless it only looks how the
// session is, and takes over what its caller asks for.
func (s *Session) counted(h served) served {
	doc := h.Verb.Describe()
	if doc.NoStart && doc.ReadOnly {
		return h
	}
	serve := h.Serve
	h.Serve = func(ctx context.Context, call *wire.Call, body []byte) (any, error) {
		defer s.idle.begin()()
		if !doc.NoStart {
			if err := s.heed(ctx, call); err != nil {
				return nil, err
			}
		}
		return serve(ctx, call, body)
	}
	return h
}

// heed takes over what a caller asks for that holds from then on. What one asks for who
// may only read is meant for another session: its own.
func (s *Session) heed(ctx context.Context, call *wire.Call) error {
	if call.Settings.IdleTimeout == "" && call.OwnerProcess == "" {
		return nil
	}
	if holder := s.holder(ctx); holder != "" && !call.Actor().MayControl(s.name, holder) {
		return nil
	}
	if err := s.idle.set(call.Settings.IdleTimeout); err != nil {
		return err
	}
	return s.owner.set(call.OwnerProcess)
}
