package daemon_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// reports are the commands that daemons have reported to a broker.
type reports struct {
	mu    sync.Mutex // guards the fields below
	delay time.Duration
	verbs []string
}

func (r *reports) serve(_ context.Context, _ *wire.Call, in verbs.ReportIn) (verbs.Empty, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	time.Sleep(r.delay)
	for _, e := range in.Events {
		r.verbs = append(r.verbs, e.Command)
	}
	return verbs.Empty{}, nil
}

// When the reply to close has come, the broker knows of the close, and of what was done before, even
// if it is slow.
func TestCloseIsReportedBeforeItsReply(t *testing.T) {
	s := start(t)
	s.broker.reports.delay = 200 * time.Millisecond
	eval(t, s, "before")
	time.Sleep(20 * time.Millisecond) // the report of eval is on its way
	do(t, s, verbs.Close, verbs.CloseIn{})
	s.broker.reports.mu.Lock()
	got := slices.Clone(s.broker.reports.verbs)
	s.broker.reports.mu.Unlock()
	if !slices.Equal(got, []string{"eval", "close"}) {
		t.Errorf("when close had been answered, the broker knew of %q", got)
	}
	s.awaitEnd(t)
}
