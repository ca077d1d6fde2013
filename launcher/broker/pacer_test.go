package broker

import (
	"testing"
	"time"
)

func TestPacer(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	var p pacer
	sent, waited := 0, time.Duration(0)
	for waited < time.Second {
		wait := p.ahead(now)
		if sent++; sent < int(paceBurst/paceCost) && wait > minPause {
			t.Fatalf("message %d of a burst waits %v", sent, wait)
		}
		now, waited = now.Add(wait), waited+wait
	}
	if most := int((paceBurst + time.Second + minPause) / paceCost); sent > most+1 {
		t.Errorf("%d messages passed in a second, want at most %d", sent, most)
	}
	if wait := p.ahead(now.Add(time.Second)); wait != 0 {
		t.Errorf("after a second without messages one waits %v", wait)
	}
}
