//go:build race

package broker

import (
	"runtime/debug"
	"testing"
	"time"
)

// busySlack is the cost of the race detector in a broker with clients that send without a break.
const busySlack = 50 * time.Millisecond

// uncollected disables garbage collection in this process and its children. The collector
// stops the world, which has to wait for the detector's loops over a large message: the
// process would stand still for seconds.
func uncollected(t *testing.T) {
	t.Setenv("GOGC", "off")
	before := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(before) })
}
