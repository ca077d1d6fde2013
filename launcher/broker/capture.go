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
	captureWait  = 3 * time.Second  // a request fails if another agent has held the lock for this time
	captureLimit = 30 * time.Second // a holder counts as frozen after this time, and loses the lock
)

// captureLock is the lock for captures that need their tab in front of all others in the browser's
// window. Only one tab at a time can be in front. The lock is tied to its holder's connection, so
// that it is released when the holder dies.
type captureLock struct {
	clock func() time.Time

	mu      sync.Mutex // guards the fields below
	holder  *captureRequest
	since   time.Time         // when the holder got the lock
	waiting []*captureRequest // in the order of arrival
}

// captureRequest is a request that has the lock or waits for it.
type captureRequest struct {
	agent   wire.AgentKey
	granted chan struct{} // closed when the request gets the lock
}

// captureBusy describes the agent that held the lock when another agent's request failed, and how
// long that agent had held it.
type captureBusy struct {
	holder wire.AgentKey
	since  time.Duration
}

// acquire waits for the lock. If another agent has held the lock for captureWait, acquire does
// not wait any longer and returns busy. While the requesting agent itself holds the lock for
// another capture, acquire waits without this limit. A second call of release has no effect.
func (l *captureLock) acquire(ctx context.Context, agent wire.AgentKey) (release func(), busy *captureBusy, err error) {
	r := &captureRequest{agent, make(chan struct{})}
	l.mu.Lock()
	l.waiting = append(l.waiting, r)
	l.grantLocked()
	l.mu.Unlock()
	for {
		holder, left := l.patience(r)
		if left <= 0 {
			if l.withdraw(r) { // r has just got the lock
				return func() { l.release(r) }, nil, nil
			}
			return nil, &captureBusy{holder.agent, captureWait - left}, nil
		}
		timer := time.NewTimer(left)
		select {
		case <-r.granted:
			timer.Stop()
			return func() { l.release(r) }, nil, nil
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			if l.withdraw(r) {
				l.release(r)
			}
			return nil, nil, ctx.Err()
		}
	}
}

// patience returns the holder of the lock and the time for which r may still wait. While r's own
// agent holds the lock, this time is always captureWait, so that r waits without a limit.
func (l *captureLock) patience(r *captureRequest) (holder *captureRequest, left time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == nil || l.holder.agent == r.agent {
		return l.holder, captureWait
	}
	return l.holder, captureWait - l.clock().Sub(l.since)
}

// withdraw removes r from the queue. It reports whether r already has the lock.
func (l *captureLock) withdraw(r *captureRequest) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(w *captureRequest) bool { return w == r })
	return l.holder == r
}

func (l *captureLock) release(r *captureRequest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == r {
		l.holder = nil
		l.grantLocked()
	}
}

func (l *captureLock) grantLocked() {
	if l.holder != nil || len(l.waiting) == 0 {
		return
	}
	l.holder, l.since = l.waiting[0], l.clock()
	l.waiting = l.waiting[1:]
	close(l.holder.granted)
}

// holdings returns the locks that a daemon may hold.
func (b *broker) holdings() []server.Lock {
	l := &captureLock{clock: time.Now}
	return []server.Lock{{Path: wire.PathCapture, Limit: captureLimit, Acquire: func(ctx context.Context, call *wire.Call) (any, func(), error) {
		release, busy, err := l.acquire(ctx, call.Actor())
		if busy != nil {
			err = b.busyError(ctx, busy)
		}
		return verbs.Empty{}, release, err
	}}}
}

func (b *broker) busyError(ctx context.Context, busy *captureBusy) error {
	usage := ""
	if err := b.do(ctx, func() { usage = b.pool.Usage(b.extraTabs()) }); err != nil {
		return err
	}
	ms := busy.since.Milliseconds()
	return wire.Errorf(wire.CodeMutexBusy, "MUTEX_BUSY: Screenshot mutex held by another agent. Holder: %s Held for: %dms Tab pool: %s "+
		"Hint: Use page_state (no mutex) or retry after delay.", busy.holder, ms, usage).
		WithHint("abrowser page state").With("holder", busy.holder.String()).With("heldForMs", ms).With("tabPool", usage)
}
