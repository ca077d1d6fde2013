//go:build race

package broker

import (
	"runtime/debug"
	"testing"
	"time"
)

// busySlack is what the race detector costs a broker to which some talk all the time.
const busySlack = 50 * time.Millisecond

// uncollected keeps the collector out of this process and of those that it starts. It
// stops the world, and the detector's loops over a large message stop for nobody: the
// whole process would stand still for seconds.
func uncollected(t *testing.T) {
	t.Setenv("GOGC", "off")
	before := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(before) })
}
