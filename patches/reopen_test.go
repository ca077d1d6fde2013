package patches

import (
	"testing"
	"time"
)

// TestLoadsAreForgottenAfterStableTime checks that stableTime counts from the start of the browser
// and not from the start of the newest Mux. Otherwise, if the broker restarts often, the Mux would
// blame the death of a stable browser on the browser's pages.
func TestLoadsAreForgottenAfterStableTime(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	saved := State{Tenants: []Tenant{{Name: "task", Tabs: []Tab{{Target: "T", Number: 1, Loads: maxLoads - 1}}}}}
	m := New(Options{Transport: &recorder{}, Clock: func() time.Time { return now }, State: saved, BrowserStart: now.Add(2*time.Second - stableTime)})
	m.Reopen(func() {})
	for _, test := range []struct {
		pass time.Duration
		want int
	}{{time.Second, maxLoads - 1}, {time.Second, 0}} {
		now = now.Add(test.pass)
		m.Tick()
		if got := m.tenants["task"].tabs["T"].Loads; got != test.want {
			t.Errorf("%v after the start of the browser Loads = %d, want %d", now.Sub(m.BrowserStart), got, test.want)
		}
	}
}
