package daemon

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsGivenBackAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		i, given := newIdle(), 0
		go i.watchRest(ctx, func() { given++ })
		pass := func(d time.Duration, want int, when string) {
			t.Helper()
			time.Sleep(d) // the test's own clock
			synctest.Wait()
			if given != want {
				t.Fatalf("%s: given back %d times, want %d", when, given, want)
			}
		}
		pass(restTime, 1, "after the start")
		pass(time.Hour, 1, "when nothing has run since")
		end := i.begin()
		pass(time.Hour, 1, "while something runs")
		end()
		pass(restTime-time.Millisecond, 1, "soon after it ran")
		end = i.begin()
		pass(time.Hour, 1, "while the next one runs")
		end()
		pass(restTime, 2, "after that")
		pass(time.Hour, 2, "when nothing has run since")
	})
}
