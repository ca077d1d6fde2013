package broker

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestPacer(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	p := pacer{clients: &atomic.Int64{}}
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

// Ten paced clients together may send as much as one. Clients that read are not counted.
func TestPacedClientsShareTheRate(t *testing.T) {
	t.Parallel()
	var clients atomic.Int64
	all := make([]pacer, 10)
	for i := range all {
		all[i].clients = &clients
		all[i].set(true)
		all[i].set(true)
	}
	reads := pacer{clients: &clients}
	reads.set(false)
	now := time.Unix(1000, 0)
	sent, waited := 0, time.Duration(0)
	for waited < time.Second {
		wait := all[0].ahead(now)
		sent++
		now, waited = now.Add(wait), waited+wait
	}
	if most := int((paceBurst+time.Second+minPause)/paceCost) / len(all); sent > most+1 {
		t.Errorf("of ten clients, one sends %d messages in a second, want at most %d", sent, most)
	}
	for i := range all {
		all[i].set(false)
		all[i].set(false)
	}
	if n := clients.Load(); n != 0 {
		t.Errorf("afterwards %d clients are paced", n)
	}
}
