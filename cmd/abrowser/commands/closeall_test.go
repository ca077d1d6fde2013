package cli

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

// Of many sessions so many are ended at once as a browser has the time for, and all of
// them in the end.
func TestEndAtOnce(t *testing.T) {
	var now, most, ended atomic.Int64
	full := make(chan struct{})
	endings := make([]ending, 5*mostEndings)
	for i := range endings {
		endings[i] = ending{session: fmt.Sprint(i), end: func(context.Context) (verbs.ReleaseOut, error) {
			defer now.Add(-1)
			n := now.Add(1)
			for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
			}
			if n == mostEndings && ended.Load() == 0 {
				time.AfterFunc(50*time.Millisecond, func() { close(full) }) // time for one too many to come
			}
			<-full
			ended.Add(1)
			if i == 3 {
				return verbs.ReleaseOut{}, wire.CodeNotRunning
			}
			return verbs.ReleaseOut{Kept: 1}, nil
		}}
	}
	endAtOnce(t.Context(), endings)
	if most.Load() != mostEndings || ended.Load() != int64(len(endings)) {
		t.Errorf("%d sessions were ended, of them %d at once; want %d and %d", ended.Load(), most.Load(), len(endings), mostEndings)
	}
	for i, e := range endings {
		if e.gone != (i == 3) || errors.Is(e.err, wire.CodeNotRunning) || !e.gone && e.left.Kept != 1 {
			t.Errorf("ending %d: %+v", i, e)
		}
	}
}
