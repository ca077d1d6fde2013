package patches

import (
	"testing"
	"time"
)

// How long a browser has lived is counted from its start, not from that of the board
// that came last: what was loaded in it again and again is not to blame for its end.
func TestBoardsOfALivingBrowser(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	saved := State{Owners: []Owner{{Name: "task", Tabs: []Tab{{Target: "T", Number: 1, Loads: maxLoads - 1}}}}}
	b := New(Options{Line: &recorder{}, Clock: func() time.Time { return now }, State: saved, Began: now.Add(2*time.Second - wellTime)})
	b.Reopen(func() {})
	for _, test := range []struct {
		pass time.Duration
		want int
	}{{time.Second, maxLoads - 1}, {time.Second, 0}} {
		now = now.Add(test.pass)
		b.Tick()
		if got := b.owners["task"].tabs["T"].Loads; got != test.want {
			t.Errorf("%v after its start the browser has loads %d, want %d", now.Sub(b.Began), got, test.want)
		}
	}
}
