package broker

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/server"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	captureWait  = 3 * time.Second  // for another agent's capture, from its begin
	captureLimit = 30 * time.Second // after that the holder is taken for frozen
)

// capture is the lock for what needs the front tab of the browser's window. It is
// tied to its holder's connection, so that nobody dies with it.
type capture struct {
	clock func() time.Time

	mu      sync.Mutex // guards the fields below
	holder  *taker
	since   time.Time
	waiting []*taker // in the order in which they came
}

// taker has the lock, or waits for it.
type taker struct {
	agent wire.AgentKey
	turn  chan struct{} // closed when it has it
}

// busyCapture is why a capture was not waited for.
type busyCapture struct {
	holder wire.AgentKey
	since  time.Duration
}

// take waits for the lock. busy is set where another agent has had it for too long;
// the same agent's other captures are waited for. release may be called once.
func (c *capture) take(ctx context.Context, agent wire.AgentKey) (release func(), busy *busyCapture, err error) {
	t := &taker{agent, make(chan struct{})}
	c.mu.Lock()
	c.waiting = append(c.waiting, t)
	c.nextLocked()
	c.mu.Unlock()
	for {
		held, left := c.heldUp(t)
		if left <= 0 {
			if c.leave(t) { // its turn came just now
				return func() { c.release(t) }, nil, nil
			}
			return nil, &busyCapture{held.agent, captureWait - left}, nil
		}
		timer := time.NewTimer(left)
		select {
		case <-t.turn:
			timer.Stop()
			return func() { c.release(t) }, nil, nil
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			if c.leave(t) {
				c.release(t)
			}
			return nil, nil, ctx.Err()
		}
	}
}

// heldUp is who has the lock and how long t still waits for it.
func (c *capture) heldUp(t *taker) (holder *taker, left time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holder == nil || c.holder.agent == t.agent {
		return c.holder, captureWait
	}
	return c.holder, captureWait - c.clock().Sub(c.since)
}

// leave takes t out of the queue, and reports whether it has the lock instead.
func (c *capture) leave(t *taker) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = slices.DeleteFunc(c.waiting, func(w *taker) bool { return w == t })
	return c.holder == t
}

func (c *capture) release(t *taker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holder == t {
		c.holder = nil
		c.nextLocked()
	}
}

func (c *capture) nextLocked() {
	if c.holder != nil || len(c.waiting) == 0 {
		return
	}
	c.holder, c.since = c.waiting[0], c.clock()
	c.waiting = c.waiting[1:]
	close(c.holder.turn)
}

// holdings are what a daemon may have for a time.
func (b *broker) holdings() []server.Lock {
	c := &capture{clock: time.Now}
	return []server.Lock{{Path: wire.PathCapture, Limit: captureLimit, Acquire: func(ctx context.Context, call *wire.Call) (any, func(), error) {
		release, busy, err := c.take(ctx, call.Actor())
		if busy != nil {
			err = b.busyError(ctx, busy)
		}
		return verbs.Empty{}, release, err
	}}}
}

func (b *broker) busyError(ctx context.Context, busy *busyCapture) error {
	pool := ""
	if err := b.do(ctx, func() { pool = b.fullness(b.extras()) }); err != nil {
		return err
	}
	ms := busy.since.Milliseconds()
	return wire.Errorf(wire.CodeMutexBusy, "MUTEX_BUSY: Screenshot mutex held by another agent. Holder: %s Held for: %dms Tab pool: %s "+
		"Hint: Use page_state (no mutex) or retry after delay.", busy.holder, ms, pool).
		WithHint("abrowser page state").With("holder", busy.holder.String()).With("heldForMs", ms).With("tabPool", pool)
}
