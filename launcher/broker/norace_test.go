//go:build !race

package broker

import (
	"testing"
	"time"
)

// busySlack is an allowance for other tests that run on the machine.
const busySlack = 5 * time.Millisecond

// uncollected does nothing without the race detector.
func uncollected(*testing.T) {}
