package broker

import (
	"context"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	// defaultIdle is how long a browser runs without clients and without pages to keep, see
	// [patches.Mux.InUse].
	defaultIdle = 10 * time.Minute
	// externalIdle is how long the broker stays connected to an external browser while no
	// session is connected. The tabs of sessions there stay open, and are recorded on disk.
	externalIdle = 30 * time.Second
	// minFirstIdle is the shortest time for which a browser waits for its first client. On a busy
	// machine the start of the driver may take longer than a short idle limit.
	minFirstIdle = time.Minute
)

// idle records since when the browser has not been used. Only the mux's goroutine uses it.
type idle struct {
	limit    time.Duration // 0 means no limit
	since    time.Time     // zero while the browser is in use
	joined   bool          // a client has connected since the start or the last call of expect
	stopping bool          // the browser is being stopped, because it is idle or by the verb browser stop
}

// set sets the limit from a text as in [wire.Settings]. An empty text changes nothing.
func (i *idle) set(text string) error {
	if text == "" {
		return nil
	}
	limit, err := wire.ParseDuration("--browser-idle-timeout", text)
	if err == nil {
		i.limit = limit
	}
	return err
}

// expect resets the timer, since a client has announced that it will connect.
func (i *idle) expect() { i.since, i.joined = time.Time{}, false }

// join resets the timer, since a client has connected. The client may be gone again when
// [broker.checkIdle] is called the next time.
func (i *idle) join() { i.since, i.joined = time.Time{}, true }

// effective returns the time after which an unused browser is stopped.
func (i *idle) effective(external bool) time.Duration {
	limit := i.limit
	if external {
		limit = min(limit, externalIdle)
	}
	if !i.joined {
		limit = max(limit, minFirstIdle)
	}
	return limit
}

// checkIdle stops a browser that has had neither clients nor pages to keep for long enough, see
// idle.effective. From an external browser the broker only disconnects. The tabs of an external
// browser do not count.
func (b *broker) checkIdle() {
	now, external := time.Now(), b.Settings.External()
	switch {
	case b.idle.stopping:
		return
	case len(b.clients) > 0 || !external && b.mux.InUse():
		b.idle.since = time.Time{}
		return
	case b.idle.since.IsZero():
		b.idle.since = now
		return
	case b.idle.limit == 0 || now.Sub(b.idle.since) < b.idle.effective(external):
		return
	}
	b.idle.stopping = true
	b.state.Stopped = true
	b.mux.BrowserClosing()
	b.log.Info("the browser has no tabs and no clients, and is stopped")
	go b.endBrowser() // so that the mux's goroutine does not wait for the connection to the keeper
}

// awaitStop reports whether the browser is being stopped on purpose. If so, awaitStop
// returns only after the broker has stopped working, or ctx has ended. A client that is rejected
// before that would connect to this broker once more, instead of starting another browser.
func (b *broker) awaitStop(ctx context.Context) bool {
	stopping := false
	if b.do(ctx, func() { stopping = b.idle.stopping }) != nil || !stopping {
		return false
	}
	select {
	case <-b.done:
	case <-ctx.Done():
	}
	return true
}
