package broker

import (
	"context"
	"encoding/json"
	"time"

	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/sockets/wire"
)

const startTime = 60 * time.Second // for the browser to answer

// takeOver prepares the browser for clients:
//
//  1. The mux attaches to all targets.
//  2. A browser that has just started gets its window's size, and the cookies that were
//     lost with the previous browser.
//  3. The tabs that were lost with the previous browser are opened again.
//  4. The keeper is told that the broker is ready.
func (b *broker) takeOver(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	started := make(chan struct{})
	err := b.do(ctx, func() {
		b.mux.Start(func() {
			b.mux.Call("Browser.getVersion", struct{}{}, "", func(raw json.RawMessage, err error) {
				var v struct{ Product string }
				if err == nil && json.Unmarshal(raw, &v) == nil {
					b.product = v.Product
				}
				close(started)
			})
		})
	})
	if err != nil {
		return err
	}
	select {
	case <-started:
	case <-b.over:
		return wire.Errorf(wire.CodeBrowserGone, "the browser is gone")
	case <-ctx.Done():
		return wire.Errorf(wire.CodeNoBrowser, "the browser does not answer").WithHint("abrowser doctor")
	}
	if b.browser.Fresh && !b.Settings.External() { // the window of an external browser keeps its size
		if err := b.fitWindow(ctx); err != nil {
			b.log.Warn("sizing the window", "error", err)
		}
		if err := b.do(ctx, b.mux.KeepFirstPage); err != nil {
			return err
		}
		if err := b.cookies.restore(ctx); err != nil {
			b.log.Warn("putting cookies back", "error", err)
		}
	}
	if err := b.reopen(ctx); err != nil {
		return err
	}
	return b.keeper.Send(handover.Message{Ready: true})
}

// reopenTime is how long clients wait until the lost tabs of all sessions are open again.
const reopenTime = 20 * time.Second

func (b *broker) reopen(ctx context.Context) error {
	all := make(chan struct{})
	if err := b.do(ctx, func() { b.mux.Reopen(func() { close(all) }) }); err != nil {
		return err
	}
	late := time.NewTimer(reopenTime)
	defer late.Stop()
	select {
	case <-all:
	case <-late.C: // the others open later
	case <-b.over:
		return wire.Errorf(wire.CodeBrowserGone, "the browser is gone")
	}
	return nil
}
