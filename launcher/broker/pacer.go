package broker

import (
	"context"
	"time"
)

// A client that talks without a break, and does not listen, keeps a processor busy by
// itself, and the runtime looks for what others have sent only now and then where none
// is idle. So who has said a lot and left the answers lying says more at a measured
// pace. Who waits for his answers is never held up.
const (
	fairLying = 64 << 10               // bytes for a client that it has not read
	fairCost  = 250 * time.Microsecond // of a message, in the long run
	fairBurst = 64 * time.Millisecond  // worth of messages that come at once
	fairPause = 2 * time.Millisecond   // at least, for others to be heard in
)

// breath is how far a client is ahead of the pace. Zero is a client's beginning.
type breath struct{ due time.Time }

// ahead counts a message and returns how long to wait before the next one.
func (b *breath) ahead(now time.Time) time.Duration {
	if least := now.Add(-fairBurst); b.due.Before(least) {
		b.due = least
	}
	b.due = b.due.Add(fairCost)
	if wait := b.due.Sub(now); wait >= fairPause {
		return wait
	}
	return 0
}

// take counts a message and waits as long as the next one has to, or ctx lasts.
func (b *breath) take(ctx context.Context) {
	wait := b.ahead(time.Now())
	if wait == 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
