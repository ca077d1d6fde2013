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
			if b.ending.Load() {
				b.seeEnd()
			}
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
			if b.ending.Load() { // the one before may not have heard it
				b.endBrowser()
			}
		case s.Gone:
			close(b.gone)
			return
		case s.Close:
			if err := b.cookies.look(ctx, true); err != nil {
				b.log.Warn("looking at the cookies", "error", err)
			}
			_ = b.do(ctx, func() {
				b.mux.BrowserClosing()
				b.mux.Call("Browser.close", struct{}{}, "", func(json.RawMessage, error) {})
			})
		}
	}
}

// endBrowser asks the keeper to end the browser, and us, and whoever takes the
// keeper's place meanwhile. It does not wait.
func (b *broker) endBrowser() {
	b.ending.Store(true)
	if err := b.control.send(word{Stop: true}); err != nil {
		b.log.Warn("asking the keeper to end the browser", "error", err)
	}
}

// seeEnd is the word of a keeper that died after it had the browser close, and
// before it could say that it is gone.
func (b *broker) seeEnd() {
	ended := make(chan struct{})
	go func() { // it ends with the browser, and with us
		defer close(ended)
		if !foreign(b.Settings) {
			watch(b.charge.BrowserPID)
		}
	}()
	select {
	case <-ended:
		close(b.gone)
	case <-time.After(killTime): // who asked is told that it does not end
	}
}

// takeOver makes the browser ours:
//
//  1. the mux learns of all targets
//  2. a browser that has just started gets its window's size, and the cookies that
//     the one before lost
//  3. the tabs are opened again that the one before took along
//  4. the keeper is told
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
	if b.charge.Fresh && !foreign(b.Settings) { // another's window has the size its person gave it
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
	return b.control.send(word{Ready: true})
}

// reopenTime is how long clients wait for lost tabs of everybody.
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
	case <-late.C: // the rest comes when it comes
	case <-b.over:
		return wire.Errorf(wire.CodeBrowserGone, "the browser is gone")
	}
	return nil
}
