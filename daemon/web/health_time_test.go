package web

import (
	"testing"
	"time"
)

// On a slow machine a page has longer to respond, but never so long that a wedged page blocks a
// command's reply for more than five seconds.
func TestPageTime(t *testing.T) {
	for driver, want := range map[time.Duration]time.Duration{
		0: time.Second, 5 * time.Millisecond: time.Second, 100 * time.Millisecond: 2 * time.Second, time.Second: 5 * time.Second,
	} {
		if got := pageTime(driver); got != want {
			t.Errorf("pageTime(%v) = %v, want %v", driver, got, want)
		}
	}
}
