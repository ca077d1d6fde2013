package review

import (
	"context"
	"strconv"
	"sync"
	"time"
)

// undoTime is how long a person can undo the closing of tabs.
const undoTime = 10 * time.Second

// tabName names a tab.
type tabName struct {
	Session string `json:"session"`
	Tab     string `json:"tab"`
}

// closings are the tabs that are about to be closed.
type closings struct {
	closeTab func(ctx context.Context, tab tabName) error
	changed  func()

	mu      sync.Mutex // guards the fields below
	last    int
	pending map[string]*closing // by id
	dropped bool
}

// closing is one request to close tabs.
type closing struct {
	tabs  []tabName
	until time.Time
	timer *time.Timer
}

// pendingClosing is a closing as the page gets it.
type pendingClosing struct {
	ID   string    `json:"id"`
	Tabs []tabName `json:"tabs"`
	Left int64     `json:"leftMs"`
}

// add closes tabs after undoTime.
func (c *closings) add(tabs []tabName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dropped {
		return
	}
	c.last++
	id := strconv.Itoa(c.last)
	one := &closing{tabs: tabs, until: time.Now().Add(undoTime)}
	one.timer = time.AfterFunc(undoTime, func() { c.close(id) })
	c.pending[id] = one
}

// undo keeps the tabs of a closing open, and reports whether it was in time.
func (c *closings) undo(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.pending[id]
	delete(c.pending, id)
	return one != nil && one.timer.Stop()
}

// close closes the tabs of a closing.
func (c *closings) close(id string) {
	c.mu.Lock()
	one := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if one == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), undoTime)
	defer cancel()
	for _, tab := range one.tabs {
		_ = c.closeTab(ctx, tab) // the tab stays in the list if it could not be closed
	}
	c.changed()
}

// drop keeps all tabs open, because the server ends.
func (c *closings) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropped = true
	for _, one := range c.pending {
		one.timer.Stop()
	}
	clear(c.pending)
}

// list returns the closings that can be undone.
func (c *closings) list() []pendingClosing {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := []pendingClosing{}
	for id, one := range c.pending {
		all = append(all, pendingClosing{id, one.tabs, time.Until(one.until).Milliseconds()})
	}
	return all
}
