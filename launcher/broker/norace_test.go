//go:build !race

package broker

import "time"

// busySlack is for a machine on which other tests run, too.
const busySlack = 5 * time.Millisecond
