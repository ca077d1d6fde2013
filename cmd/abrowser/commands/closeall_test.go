package commands

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// endTogether ends all sessions, but at most maxEndings at the same time.
func TestEndTogether(t *testing.T) {
	var now, most, ended atomic.Int64
	full := make(chan struct{})
	endings := make([]ending, 5*maxEndings)
	for i := range endings {
		endings[i] = ending{session: fmt.Sprint(i), end: func(context.Context) (verbs.ReleaseOut, error) {
			defer now.Add(-1)
			n := now.Add(1)
			for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
			}
			if n == maxEndings && ended.Load() == 0 {
				// Without the limit, more than maxEndings would begin during this time.
				time.AfterFunc(50*time.Millisecond, func() { close(full) })
			}
			<-full
			ended.Add(1)
			if i == 3 {
				return verbs.ReleaseOut{}, wire.CodeNotRunning
			}
			return verbs.ReleaseOut{Kept: 1}, nil
		}}
	}
	endTogether(t.Context(), endings)
	if most.Load() != maxEndings || ended.Load() != int64(len(endings)) {
		t.Errorf("%d sessions were ended, %d of them at the same time; want %d and %d", ended.Load(), most.Load(), len(endings), maxEndings)
	}
	for i, e := range endings {
		if e.gone != (i == 3) || errors.Is(e.err, wire.CodeNotRunning) || !e.gone && e.left.Kept != 1 {
			t.Errorf("ending %d: %+v", i, e)
		}
	}
}
