package broker

import (
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A browser is kept as long as its settings say, one in somebody else's hands not so
// long, and one that nobody has come to yet long enough for whoever it was started for.
func TestPatience(t *testing.T) {
	for name, test := range map[string]struct {
		limit   time.Duration
		foreign bool
		met     bool
		want    time.Duration
	}{
		"as said":             {limit: time.Second, met: true, want: time.Second},
		"long":                {limit: time.Hour, met: true, want: time.Hour},
		"somebody else's":     {limit: time.Hour, foreign: true, met: true, want: foreignIdle},
		"nobody has come yet": {limit: time.Second, want: firstIdle},
		"nobody, and longer":  {limit: time.Hour, want: time.Hour},
	} {
		i := idle{limit: test.limit, met: test.met}
		if got := i.patience(test.foreign); got != test.want {
			t.Errorf("%s: it waits for %v, want %v", name, got, test.want)
		}
	}
}

// Who has said that he comes finds the browser that he was told of.
func TestExpectedIsWaitedFor(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{BrowserIdle: "2s"})
	r.connect("left").close()
	ask(r, verbs.BrokerClaim, verbs.ClaimIn{Session: "comes"})
	time.Sleep(6 * time.Second) // that nothing ends shows only in time
	r.connect("comes")
}
