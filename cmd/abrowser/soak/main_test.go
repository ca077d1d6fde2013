//go:build linux

package soak_test

import (
	"flag"
	"io"
	"os"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

// envBusy is an environment variable that makes this program a busy loop instead of a test.
const envBusy = "ABROWSER_SOAK_BUSY"

func TestMain(m *testing.M) {
	if os.Getenv(envBusy) != "" {
		spin()
		return
	}
	soakFlags()
	os.Exit(e2e.Main(m))
}

// soakFlags defines the flags of TestSoak, which `just soak` sets.
func soakFlags() {
	flag.Duration("soak.for", shortTime, "how long TestSoak goes on")
	flag.Int("soak.cases", 0, "end TestSoak after so many cases; 0 is no limit")
	flag.Uint64("soak.seed", 0, "seed of TestSoak; 0 takes one from the clock")
	flag.String("soak.kinds", "", "only these kinds of readiness and actions, separated by commas; empty is all")
	flag.Int("soak.sessions", 8, "sessions side by side in TestSoak")
	flag.Bool("soak.kills", false, "kill callers, daemons, drivers and brokers during TestSoak")
	flag.Bool("soak.stalls", false, "stop processes for a while during TestSoak, which delays each hand-over between them")
	flag.Int("soak.busy", 2, "busy loops beside TestSoak")
}

// flagged returns the value of a flag.
func flagged[T any](name string) T {
	return flag.Lookup(name).Value.(flag.Getter).Get().(T) //nolint:forcetypeassert // soakFlags defines it
}

// spin keeps a processor busy until its standard input is closed. The input is closed when the
// test process ends, even if that process is killed.
func spin() {
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(over)
	}()
	for {
		for end := time.Now().Add(10 * time.Millisecond); time.Now().Before(end); {
		}
		select {
		case <-over:
			return
		default:
		}
	}
}
