package broker

import (
	"context"

	"github.com/abrowser/abrowser/launcher/broker/socketwatch"
	"github.com/abrowser/abrowser/launcher/handover"
)

// watchSockets tells a connected daemon when the daemon's socket is gone; the daemon then ends.
// It tells the keeper when this browser's own socket is gone; the keeper then listens again, and
// starts another broker.
func (b *broker) watchSockets(ctx context.Context) {
	place, err := b.Root.BrowserOf(b.Settings)
	if err != nil {
		b.log.Error("watching the sockets", "error", err)
		return
	}
	own := socketwatch.Of(place.Socket)
	socketwatch.Run(ctx, b.Root, func(changed string) (gone bool) {
		if own.IsGone(changed) {
			b.tellKeeper(handover.Message{Unbound: true})
			gone = true
		}
		_ = b.do(ctx, func() { // an error means that the broker is ending
			for _, c := range b.clients {
				gone = c.checkSocket(changed) || gone
			}
		})
		return gone
	})
}
