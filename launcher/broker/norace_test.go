//go:build !race

package broker

import (
	"testing"
	"time"
)

// busySlack is added to a time limit, because other tests run on the machine at the same time.
const busySlack = 5 * time.Millisecond

// uncollected does nothing. With the race detector it disables garbage collection.
func uncollected(*testing.T) {}
