package web

import (
	"testing"
	"time"
)

// A page whose first answer came late has a bad bound of its clock: it seems to be far behind. An
// answer that comes at once corrects the bound, and a later slow answer does not spoil it again.
func TestLearnClock(t *testing.T) {
	t.Parallel()
	var w utilityWorld
	w.clockAhead.Store(-500)
	within := func() time.Duration {
		return time.Duration(w.until(time.Second)-time.Now().UnixMilli()) * time.Millisecond
	}
	w.learnClock(0)
	if got := within(); got > 510*time.Millisecond {
		t.Errorf("an answer without a time moves the limit of 1 s, as the page sees it, to %v", got)
	}
	w.learnClock(time.Now().UnixMilli())
	w.learnClock(time.Now().Add(-time.Hour).UnixMilli())
	if got := within(); got < 900*time.Millisecond || got > time.Second {
		t.Errorf("the page sees a limit of 1 s as %v", got)
	}
}
