//go:build race

package broker

import "time"

// busySlack is what the race detector costs a broker to which some talk all the time.
const busySlack = 50 * time.Millisecond
