//go:build !race

package broker

import (
	"testing"
	"time"
)

// busySlack is for a machine on which other tests run, too.
const busySlack = 5 * time.Millisecond

// uncollected is for the race detector.
func uncollected(*testing.T) {}
