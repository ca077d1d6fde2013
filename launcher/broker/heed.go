package broker

import (
	"context"
	"encoding/json"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// heed does what the keeper says, until the browser is gone. A keeper that dies
// before is replaced: what it held, we hold too.
func (b *broker) heed(ctx context.Context) {
	var replaced time.Time
	for {
		s, err := b.control.receive()
		switch {
		case err != nil && ctx.Err() != nil:
			return
		case err != nil:
			// One that cannot keep is not tried again and again.
			if wait := time.Until(replaced.Add(keeperEvery)); !replaced.IsZero() && wait > 0 {
				select {
				case <-time.After(wait):
				case <-ctx.Done():
					return
				}
			}
			replaced = time.Now()
			if err := b.replaceKeeper(); err != nil {
				b.log.Error("replacing the keeper", "error", err)
				return
			}
		case s.Gone:
			close(b.gone)
			return
		case s.Close:
			if err := b.cookies.look(ctx, true); err != nil {
				b.log.Warn("looking at the cookies", "error", err)
			}
			_ = b.do(ctx, func() {
				b.board.Closing()
				b.board.Ask("Browser.close", struct{}{}, "", func(json.RawMessage, error) {})
			})
		}
	}
}

// takeOver makes the browser ours:
//
//  1. the board learns of all that is there
//  2. a browser that has just started gets its window's size, and the cookies that
//     the one before lost
//  3. the tabs are opened again that the one before took along
//  4. the keeper is told
func (b *broker) takeOver(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	started := make(chan struct{})
	err := b.do(ctx, func() {
		b.board.Start(func() {
			b.board.Ask("Browser.getVersion", struct{}{}, "", func(raw json.RawMessage, err error) {
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
	if b.charge.Fresh && !foreign(b.Settings) { // another's window has the size its person gave it
		if err := b.fitWindow(ctx); err != nil {
			b.log.Warn("sizing the window", "error", err)
		}
		if err := b.cookies.restore(ctx); err != nil {
			b.log.Warn("putting cookies back", "error", err)
		}
	}
	if err := b.reopen(ctx); err != nil {
		return err
	}
	return b.control.send(word{Ready: true})
}

// reopenTime is how long clients wait for lost tabs of everybody.
const reopenTime = 20 * time.Second

func (b *broker) reopen(ctx context.Context) error {
	all := make(chan struct{})
	if err := b.do(ctx, func() { b.board.Reopen(func() { close(all) }) }); err != nil {
		return err
	}
	late := time.NewTimer(reopenTime)
	defer late.Stop()
	select {
	case <-all:
	case <-late.C: // the rest comes when it comes
	case <-b.over:
		return wire.Errorf(wire.CodeBrowserGone, "the browser is gone")
	}
	return nil
}
