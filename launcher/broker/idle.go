package broker

import (
	"context"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// defaultIdle is how long a browser stays without any session's tabs.
const defaultIdle = 10 * time.Minute

// idle is since when the browser has been of use to nobody. The mux's goroutine
// alone touches it.
type idle struct {
	limit    time.Duration // 0: it stays
	since    time.Time     // zero while it is of use
	met      bool          // somebody has come to it
	stopping bool
}

// set takes over a limit as [wire.Settings] has it; an empty one changes nothing.
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

// foreignIdle is how long we stay in a browser of somebody else's in which no
// session is at work. What tabs we have there is on disk.
const foreignIdle = 30 * time.Second

// expect has the browser wait for somebody who has said that he comes.
func (i *idle) expect() { i.since, i.met = time.Time{}, false }

// firstIdle is how long a browser waits at least for whom it was started for: on a
// busy machine a driver takes longer to start than some want a browser kept.
const firstIdle = time.Minute

func (i *idle) patience(foreign bool) time.Duration {
	patience := i.limit
	if foreign {
		patience = min(patience, foreignIdle)
	}
	if !i.met {
		patience = max(patience, firstIdle)
	}
	return patience
}

// checkIdle stops a browser that has held no tabs and had no clients for long. Who
// comes at the same moment is held at the endpoint until it is over, and starts
// another one.
func (b *broker) checkIdle() {
	now := time.Now()
	switch {
	case b.idle.stopping:
		return
	case len(b.lines) > 0 || !b.Settings.External() && b.mux.InUse():
		b.idle.since = time.Time{}
		return
	case b.idle.since.IsZero():
		b.idle.since = now
		return
	case b.idle.limit == 0 || now.Sub(b.idle.since) < b.idle.patience(b.Settings.External()):
		return
	}
	b.idle.stopping = true
	b.table.stopped = true
	b.mux.BrowserClosing()
	b.log.Info("the browser has no tabs and nobody uses it; it is stopped")
	go b.endBrowser() // the mux's goroutine does not wait for the connection to the keeper
}

// heldUp holds a client up that comes while the browser is being stopped, so that it
// finds out when there is nobody any more who could answer it.
func (b *broker) heldUp(ctx context.Context) bool {
	stopping := false
	if b.do(ctx, func() { stopping = b.idle.stopping }) != nil || !stopping {
		return false
	}
	select {
	case <-b.over:
	case <-ctx.Done():
	}
	return true
}
