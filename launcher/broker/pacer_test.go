package broker

import (
	"testing"
	"time"
)

func TestBreath(t *testing.T) {
	now := time.Unix(1000, 0)
	var b breath
	said, waited := 0, time.Duration(0)
	for waited < time.Second {
		wait := b.ahead(now)
		if said++; said < int(fairBurst/fairCost) && wait > fairPause {
			t.Fatalf("message %d of a burst waits %v", said, wait)
		}
		now, waited = now.Add(wait), waited+wait
	}
	if most := int((fairBurst + time.Second + fairPause) / fairCost); said > most+1 {
		t.Errorf("in a second there were %d messages, want at most %d", said, most)
	}
	if wait := b.ahead(now.Add(time.Second)); wait != 0 {
		t.Errorf("after a second of silence a message waits %v", wait)
	}
}
