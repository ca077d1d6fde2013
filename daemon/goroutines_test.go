package daemon_test

import (
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Sessions that came and went, with their tabs, leave no goroutine behind.
func TestSessionsLeaveNoGoroutines(t *testing.T) {
	web := site.Start(t)
	round := func() {
		s := home.Start(t)
		open(t, s, web.URL("/secret"))
		do(t, s, wire.TabNew, wire.TabNewIn{URL: web.URL("/page/second")})
		do(t, s, wire.Close, wire.CloseIn{Page: true})
		s.End(t)
	}
	round() // what is made once
	before := settled(runtime.NumGoroutine())
	const rounds = 10
	for range rounds {
		round()
	}
	if after := settled(before); after >= before+rounds/2 { // one for every other session would be a leak
		var all strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&all, 1) // a builder takes everything
		t.Errorf("%d goroutines after %d sessions, %d before\n%.8000s", after, rounds, before, all.String())
	}
}

// settled is the number of goroutines once it is no more than enough, or after a while.
func settled(enough int) int {
	n := runtime.NumGoroutine()
	for end := time.Now().Add(10 * time.Second); n > enough && time.Now().Before(end); n = runtime.NumGoroutine() {
		time.Sleep(50 * time.Millisecond)
	}
	return n
}
