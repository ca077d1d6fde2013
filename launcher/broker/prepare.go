package broker

import (
	"context"
	"time"
)

// prepareTime is how long it may take to have ready what the next session needs.
const prepareTime = 30 * time.Second

// prepare is [patches.Options].Prepare. It does not block, and a call during an earlier
// preparation does nothing.
func (b *broker) prepare() {
	if b.Prepare == nil || !b.preparing.CompareAndSwap(false, true) {
		return
	}
	b.preparations.Go(func() {
		defer b.preparing.Store(false)
		ctx, cancel := context.WithTimeout(context.Background(), prepareTime)
		defer cancel()
		go func() { // ends with ctx, which this function ends
			select {
			case <-b.over:
				cancel()
			case <-ctx.Done():
			}
		}()
		if err := b.Prepare(ctx); err != nil {
			b.log.Warn("preparing for the next session", "error", err)
		}
	})
}
