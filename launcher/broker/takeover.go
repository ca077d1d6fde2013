package broker

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	startTime  = 60 * time.Second // for the browser to be ready for clients
	reopenTime = 20 * time.Second // clients wait at most this long for lost tabs to be reopened
)

// takeOver prepares the browser for clients:
//
//  1. The mux attaches to all targets.
//  2. A browser that has just started gets its window's size, and the cookies that were
//     lost with the previous browser. If it is visible, its empty first page is kept for the
//     first session.
//  3. The tabs that were lost with the previous browser are opened again.
//  4. The keeper is told that the broker is ready.
func (b *broker) takeOver(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	_, err := await(ctx, b, func(done func(struct{})) {
		b.mux.Start(func() {
			b.mux.Call("Browser.getVersion", struct{}{}, "", func(raw json.RawMessage, err error) {
				var v struct{ Product string }
				if err == nil && json.Unmarshal(raw, &v) == nil {
					b.product = v.Product
				}
				done(struct{}{})
			})
		})
	})
	if errors.Is(err, wire.CodeTimeout) {
		return wire.Errorf(wire.CodeNoBrowser, "the browser does not answer").WithHint("abrowser doctor")
	}
	if err != nil {
		return err
	}
	if b.browser.Fresh && !b.Settings.External() { // the window of an external browser keeps its size
		if err := b.fitWindow(ctx); err != nil {
			b.log.Warn("sizing the window", "error", err)
		}
		if err := b.do(ctx, b.mux.KeepFirstPage); err != nil {
			return err
		}
		if err := b.jar.Restore(ctx, b.browser.Died); err != nil {
			b.log.Warn("putting cookies back", "error", err)
		}
	}
	reopening, cancel := context.WithTimeout(ctx, reopenTime)
	defer cancel()
	_, err = await(reopening, b, func(done func(struct{})) { b.mux.Reopen(func() { done(struct{}{}) }) })
	if err != nil && !errors.Is(err, wire.CodeTimeout) { // after a timeout, the mux opens the other tabs later
		return err
	}
	return b.keeper.Send(handover.Message{Ready: true})
}
