package review

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestClosingCanBeUndone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var closed []tabName
		c := &closings{
			pending: map[string]*closing{}, changed: func() {},
			closeTab: func(_ context.Context, tab tabName) error {
				closed = append(closed, tab)
				return nil
			},
		}
		a, b, other := tabName{"s", "t1"}, tabName{"s", "t2"}, tabName{"o", "t1"}
		c.add([]tabName{a, b})
		c.add([]tabName{other})
		time.Sleep(undoTime - time.Second)
		if list := c.list(); len(list) != 2 {
			t.Fatalf("pending: %v", list)
		}
		if !c.undo("2") || c.undo("2") || c.undo("9") {
			t.Error("undo is possible once, and for what is pending")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !slices.Equal(closed, []tabName{a, b}) || len(c.list()) != 0 || c.undo("1") {
			t.Errorf("closed %v, pending %v", closed, c.list())
		}
		c.add([]tabName{other})
		c.drop() // the command has ended
		c.add([]tabName{other})
		time.Sleep(2 * undoTime)
		synctest.Wait()
		if len(closed) != 2 {
			t.Errorf("after the end of the review: closed %v", closed)
		}
	})
}
