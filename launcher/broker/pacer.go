package broker

import (
	"context"
	"sync/atomic"
	"time"
)

// A client that sends without a break and does not read keeps one of the broker's processors busy
// all the time. While no processor is idle, the Go runtime only rarely checks whether other
// clients have sent something. So a client that leaves many bytes of responses unread is slowed
// down. A client that reads its responses is never slowed down.
const (
	paceUnread = 64 << 10               // a client is paced while it leaves more bytes than this unread
	paceCost   = 250 * time.Microsecond // the average time between two messages of all paced clients
	paceBurst  = 64 * time.Millisecond  // a single client may send paceBurst/paceCost messages at once
	// minPause is the shortest pause of a client, in which the broker serves other clients. Shorter
	// pauses are added up until they reach minPause.
	minPause = 2 * time.Millisecond
)

// pacer slows one client down. Only the field clients is required.
type pacer struct {
	clients *atomic.Int64 // the number of paced clients of the broker
	paced   bool          // this client is one of them
	due     time.Time
}

// set records whether the client leaves too many bytes unread.
func (p *pacer) set(paced bool) {
	switch {
	case paced && !p.paced:
		p.clients.Add(1)
	case !paced && p.paced:
		p.clients.Add(-1)
	}
	p.paced = paced
}

// ahead counts a message and returns how long to wait before the next one. All paced clients have
// the same share.
func (p *pacer) ahead(now time.Time) time.Duration {
	if earliest := now.Add(-paceBurst); p.due.Before(earliest) {
		p.due = earliest
	}
	p.due = p.due.Add(paceCost * time.Duration(max(1, p.clients.Load())))
	if wait := p.due.Sub(now); wait >= minPause {
		return wait
	}
	return 0
}

// wait counts a message, and then waits until the next message may be read or ctx ends.
func (p *pacer) wait(ctx context.Context) {
	pause := p.ahead(time.Now())
	if pause == 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
