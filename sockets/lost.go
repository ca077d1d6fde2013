package sockets

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// look is how often a socket is looked at where there is no watch, or where the
// watch may have missed something.
const look = 10 * time.Second

// Lost blocks until the place's socket is no longer the one that was bound under
// l: somebody removed it, its lock file, or the whole root. Nobody reaches the
// listener any more, and nothing keeps another from taking its place, so it should
// end. The error is that ctx ended first.
func (p Place) Lost(ctx context.Context, l *Lease) error {
	var events chan fsnotify.Event // nil, which never delivers, without a watch
	if watcher, err := watch(filepath.Dir(p.Socket)); err == nil {
		defer watcher.Close()
		events = watcher.Events
	}
	tick := time.NewTicker(look)
	defer tick.Stop()
	for p.boundBy(l) {
		select {
		case <-events:
		case <-tick.C:
		case <-ctx.Done():
			return ended(ctx, "watching "+p.Socket)
		}
	}
	return nil
}
