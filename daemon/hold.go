package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// hold makes the session's commands wait while a person uses its pages. The zero value holds
// nothing.
type hold struct {
	mu      sync.Mutex // guards the fields below
	until   time.Time  // the commands wait until then; zero if no person uses the pages
	changed chan struct{}
}

// take holds the commands from now on, for the given time at most.
func (h *hold) take(limit time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = time.Now().Add(limit)
	h.notify()
}

// release lets the commands go on.
func (h *hold) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = time.Time{}
	h.notify()
}

func (h *hold) notify() {
	if h.changed != nil {
		close(h.changed)
	}
	h.changed = make(chan struct{})
}

// isHeld reports whether a person uses the pages.
func (h *hold) isHeld() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Before(h.until)
}

// await waits until no person uses the pages. It returns [wire.CodeTakenOver] if that lasts longer
// than ctx.
func (h *hold) await(ctx context.Context) error {
	for {
		h.mu.Lock()
		left, changed := time.Until(h.until), h.changed
		h.mu.Unlock()
		if left <= 0 {
			return nil
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-changed:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			if ctx.Err() == context.DeadlineExceeded {
				return wire.Errorf(wire.CodeTakenOver, "a person uses the session's pages, and has not handed them back").WithHint("abrowser events says when they are handed back")
			}
			return ContextError(ctx)
		}
	}
}

// awaitPerson waits with a command of the input in until no person uses the session's pages, at most
// as long as the command may take. It returns [wire.CodeTakenOver] if that lasts longer.
func (s *Session) awaitPerson(ctx context.Context, in any) error {
	if in, ok := in.(verbs.Timed); ok && in.Milliseconds() > 0 {
		short, cancel := context.WithTimeout(ctx, time.Duration(in.Milliseconds())*time.Millisecond)
		defer cancel()
		ctx = short
	}
	return s.hold.await(ctx)
}

// IsTakenOver reports whether a person uses the session's pages.
func (s *Session) IsTakenOver() bool { return s.hold.isHeld() }

// AwaitHandBack waits until no person uses the session's pages, or ctx ends.
func (s *Session) AwaitHandBack(ctx context.Context) {
	_ = s.hold.await(ctx) // an error means that ctx has ended
}

// takeOver makes the session's commands that act wait, because a person uses its pages.
func (s *Session) takeOver(_ context.Context, _ *wire.Call, in verbs.TakeOverIn) (verbs.TakeOverOut, error) {
	if !s.hold.isHeld() {
		s.reporter.add(verbs.Event{Kind: verbs.EventTaken})
	}
	limit := time.Duration(in.For) * time.Millisecond
	s.hold.take(limit)
	s.idle.stayAwake(time.Now().Add(limit))
	return verbs.TakeOverOut{Running: s.queue.state().verb}, nil
}

// handBack lets the session's commands go on, with a note in the next reply.
func (s *Session) handBack(ctx context.Context, _ *wire.Call, in verbs.HandBackIn) (verbs.Empty, error) {
	if !s.hold.isHeld() {
		return verbs.Empty{}, wire.Errorf(wire.CodeNotFound, "session %s is not taken over", s.Name).WithHint("abrowser take-over")
	}
	// The file choosers that the person has opened do not concern the task. If the broker does not
	// respond, the task's next reply reports them.
	if _, err := s.Tabs.List(ctx); err == nil {
		s.Tabs.TakeFileChooser()
	}
	s.hold.release()
	s.idle.stayAwake(time.Time{})
	s.Notices.setHandBack(in.Note)
	s.reporter.add(verbs.Event{Kind: verbs.EventHandedBack, Message: in.Note})
	return verbs.Empty{}, nil
}
