package broker

import (
	"context"
	"encoding/json"
	"time"

	"github.com/abrowser/abrowser/launcher/handover"
)

const (
	replaceEvery = 2 * time.Second // between two attempts to replace a keeper
	endTime      = 3 * time.Second // how long a browser may take to end after it was asked to close
)

// handleKeeper handles the keeper's messages until the browser is gone. If the keeper dies
// before that, handleKeeper starts another keeper. This is possible because this process holds
// the same descriptors as the keeper.
func (b *broker) handleKeeper(ctx context.Context) {
	var replaced time.Time
	for {
		m, err := b.keeper.Receive()
		switch {
		case err != nil && ctx.Err() != nil:
			if b.ending.Load() {
				b.awaitEnd()
			}
			return
		case err != nil:
			// A keeper that fails at once is not replaced in a tight loop.
			if wait := time.Until(replaced.Add(replaceEvery)); wait > 0 {
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
			if b.ending.Load() { // the dead keeper may not have read the request
				b.endBrowser()
			}
		case m.Gone:
			close(b.gone)
			return
		case m.Close:
			b.jar.SaveLast(ctx)
			_ = b.do(ctx, func() {
				b.mux.BrowserClosing()
				b.mux.Call("Browser.close", struct{}{}, "", func(json.RawMessage, error) {})
			})
		}
	}
}

// endBrowser asks the keeper to end the browser and this broker. It does not wait for their end.
// If the keeper dies before it has ended them, handleKeeper asks the next keeper.
func (b *broker) endBrowser() {
	b.ending.Store(true)
	if err := b.keeper.Send(handover.Message{Stop: true}); err != nil {
		b.log.Warn("asking the keeper to end the browser", "error", err)
	}
}

// awaitEnd waits up to endTime for the end of the browser, and then closes b.gone. Usually
// handleKeeper closes b.gone, when the keeper reports the browser's end. awaitEnd is called if the
// keeper was asked to end the browser, and died before it reported the end.
func (b *broker) awaitEnd() {
	ended := make(chan struct{})
	go func() { // ends with the browser or this process
		defer close(ended)
		if !b.Settings.External() {
			handover.AwaitExit(b.browser.PID)
		}
	}()
	select {
	case <-ended:
		close(b.gone)
	case <-time.After(endTime): // serveStop then returns an error
	}
}
