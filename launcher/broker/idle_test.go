package broker

import (
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestEffectiveIdleLimit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limit    time.Duration
		external bool
		joined   bool
		want     time.Duration
	}{
		"short":                   {limit: time.Second, joined: true, want: time.Second},
		"long":                    {limit: time.Hour, joined: true, want: time.Hour},
		"external":                {limit: time.Hour, external: true, joined: true, want: externalIdle},
		"before the first client": {limit: time.Second, want: minFirstIdle},
		"before it, and long":     {limit: time.Hour, want: time.Hour},
	} {
		i := idle{limit: test.limit, joined: test.joined}
		if got := i.effective(test.external); got != test.want {
			t.Errorf("%s: effective(%v) = %v, want %v", name, test.external, got, test.want)
		}
	}
}

// The time for which a browser is unused begins anew after a client that was connected for a short
// time.
func TestShortUseIsUse(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{BrowserIdle: "3s"})
	r.connect("first").close()
	for range 4 {
		time.Sleep(2 * time.Second)
		r.connect("again").close() // fails if the browser is stopped
	}
}

// A browser whose idle limit has passed keeps running for a client that has announced itself.
func TestAnnouncedClientIsAwaited(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{BrowserIdle: "2s"})
	r.connect("left").close()
	ask(r, verbs.BrokerClaim, verbs.ClaimIn{Session: "comes"})
	time.Sleep(6 * time.Second) // longer than the idle limit, after which the browser would be stopped
	r.connect("comes")
}
