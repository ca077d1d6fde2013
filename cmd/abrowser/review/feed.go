package review

import (
	"context"
	"sync"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/verbs"
)

const feedEvents = 100 // the events that a page can get

// feed has the newest events, for pages that wait for them.
type feed struct {
	mu      sync.Mutex // guards the fields below
	version int64      // grows with each event and each change of the server's own state
	events  []verbs.Event
	changed chan struct{} // closed at the next change
}

func newFeed() *feed { return &feed{version: time.Now().UnixMicro(), changed: make(chan struct{})} }

// follow adds the events of all browsers until ctx ends.
func (f *feed) follow(ctx context.Context, s commands.ReviewServer) {
	for ctx.Err() == nil {
		_ = s.Follow(ctx, func(e verbs.Event) bool {
			f.add(e)
			return true
		})
		select { // an error means that the list of browsers could not be read
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

func (f *feed) add(e verbs.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, e)
	if extra := len(f.events) - feedEvents; extra > 0 {
		f.events = append([]verbs.Event{}, f.events[extra:]...)
	}
	f.notifyLocked()
}

// notify makes waiting pages read the state again.
func (f *feed) notify() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notifyLocked()
}

func (f *feed) notifyLocked() {
	f.version++
	close(f.changed)
	f.changed = make(chan struct{})
}

// await waits until the version is larger than after, or ctx ends. It returns the version and the
// newest events.
func (f *feed) await(ctx context.Context, after int64) (version int64, events []verbs.Event) {
	for {
		f.mu.Lock()
		version, events, changed := f.version, append([]verbs.Event{}, f.events...), f.changed
		f.mu.Unlock()
		if version > after {
			return version, events
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return version, events
		}
	}
}
