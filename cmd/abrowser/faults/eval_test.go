//go:build linux

package faults_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The broker, the driver or the daemon is killed while the script of an eval runs an endless loop.
// The error of the eval must leave open whether the script has run. A later command works, or fails
// with wedged. The hint of that error is a command that gives the session a page that works.
func TestKillWhileAScriptSpins(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	for _, kill := range []string{"broker", "daemon", "driver"} {
		t.Run(kill, func(t *testing.T) {
			t.Parallel()
			h := e2e.NewHome(t)
			h.Text(t, "task", "open", s.URL("/secret"))
			// A synchronous request is complete before the page spins.
			script := fmt.Sprintf("const r = new XMLHttpRequest(); r.open('POST', '/count/%s', false); r.send(); for (;;);", kill)
			spins := h.Begin(t, "task", "--json", "eval", script, "--timeout", "8000")
			if !e2e.Await(e2e.CommandDeadline, func() bool { return s.Count(kill) == 1 }) {
				t.Fatal("the script does not begin")
			}
			victim := h.Daemon("task")
			switch kill {
			case "broker":
				victim = h.Of(e2e.KindBroker)[0]
			case "driver":
				victim = h.Driver("task")
			}
			if err := e2e.Kill(victim); err != nil {
				t.Fatal(err)
			}
			r := <-spins.Ended
			t.Logf("%s", r)
			if code := r.Envelope(t).Code; code != wire.CodeResultUnknown && code != wire.CodeTimeout {
				t.Errorf("the eval that spins: %s", r)
			}
			next := h.Try("task", "--json", "eval", "1")
			t.Logf("%s took %v", next, next.Took)
			if e := next.Envelope(t); !e.Success {
				if e.Code != wire.CodeWedged || !strings.HasPrefix(e.Hint, "abrowser ") {
					t.Fatalf("the command after it: %s", next)
				}
				t.Logf("%s", h.Text(t, "task", strings.Fields(strings.TrimPrefix(e.Hint, "abrowser "))...))
				h.Text(t, "task", "eval", "1")
			}
		})
	}
}
