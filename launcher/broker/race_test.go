//go:build race

package broker

import (
	"runtime/debug"
	"testing"
	"time"
)

// busySlack is an allowance for the race detector in a broker whose clients send without a break.
const busySlack = 50 * time.Millisecond

// uncollected disables garbage collection in this process and its children. The collector stops
// the world. With the race detector it would have to wait for the detector's loops over a large
// message, and the process would stand still for seconds.
func uncollected(t *testing.T) {
	t.Setenv("GOGC", "off")
	before := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(before) })
}
