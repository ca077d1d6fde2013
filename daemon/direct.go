package daemon

import (
	"context"

	"github.com/abrowser/abrowser/daemon/web/cdp"
)

// isQuiet reports whether by the last answer there was nothing else to know.
func (l *link) isQuiet() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.own != nil && l.own.IsQuiet()
}

// direct is the link's own connection, made at the first need and where the last one
// was lost.
func (l *link) direct(ctx context.Context) (*cdp.Conn, error) {
	l.mu.Lock()
	d, closing := l.own, l.closing
	l.mu.Unlock()
	if closing {
		return nil, goneError()
	}
	if d != nil && !d.IsOver() {
		return d, nil
	}
	d, err := cdp.Dial(ctx, l.place, l.path)
	if err != nil {
		return nil, goneError()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing || l.own != nil && !l.own.IsOver() { // meanwhile
		d.Close()
		if l.closing {
			return nil, goneError()
		}
		return l.own, nil
	}
	l.own = d
	l.work.Go(d.Read) // until the link is closed
	return d, nil
}
