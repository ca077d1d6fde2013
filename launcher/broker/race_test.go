//go:build race

package broker

import (
	"runtime/debug"
	"testing"
	"time"
)

// busySlack is added to a time limit, because the race detector slows the broker down while its
// clients send without a break.
const busySlack = 50 * time.Millisecond

// uncollected disables garbage collection in this process and its children. When the collector
// stops the world, it would have to wait until the race detector has looped over a large message,
// and the process would stand still for seconds.
func uncollected(t *testing.T) {
	t.Setenv("GOGC", "off")
	before := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(before) })
}
