package web

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// shownElement is an element that is visible.
type shownElement struct{ locator }

func (shownElement) Count() (int, error) { return 1, nil }

func (shownElement) IsVisible(...playwright.LocatorIsVisibleOptions) (bool, error) { return true, nil }

// inQueue queues a click command. When its turn has come, inQueue calls run() with it.
func inQueue(t *testing.T, run func(context.Context, *call)) {
	t.Helper()
	s := &daemon.Session{Notices: &daemon.Notices{}, Tabs: &daemon.Tabs{}}
	click := daemon.Queued(s, verbs.Click, func(ctx context.Context, c *daemon.Call, _ verbs.ClickIn) (verbs.ClickOut, error) {
		run(ctx, &call{Call: c, pages: &pages{session: s}})
		return verbs.ClickOut{}, nil
	})
	if _, err := click.Serve(t.Context(), &wire.Call{}, []byte(`{"selector":"#go"}`)); err != nil {
		t.Fatal(err)
	}
}

// lateElement responds after a while.
type lateElement struct{ shownElement }

func (lateElement) EvaluateAll(string, ...any) (any, error) {
	time.Sleep(50 * time.Millisecond) // five times 10 ms, which is the least that daemon.TimeLeft returns
	return 1, nil
}

// A page that responds just after the command's time is over does not count as unresponsive.
func TestLateIsNotWedged(t *testing.T) {
	t.Parallel()
	inQueue(t, func(ctx context.Context, c *call) {
		ctx, cancel := context.WithTimeout(ctx, 0)
		defer cancel()
		if n, err := c.count(ctx, lateElement{}); n != 1 || err != nil {
			t.Errorf("count() = %d, %v", n, err)
		}
	})
}

// The error of an action that gives up says what the element lacked in the last check.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, first string
		out         outcome
		code        wire.Code
		want        string
	}{
		{"it was not looked at", "", outcome{Count: -1}, wire.CodeTimeout, `"#go" was not ready in time`},
		{"the fast path has looked", "is not enabled", outcome{Count: -1}, wire.CodeNotActionable, `"#go" is not enabled`},
		{"the driver has, too", "is not enabled", outcome{Count: 1, Why: "is covered by <p></p>"}, wire.CodeNotActionable, `"#go" is covered by <p></p>`},
		{"it is hidden", "", outcome{Count: 1, Why: "is not visible"}, wire.CodeNotActionable, `"#go" is there but not visible`},
		{"it is not there", "", outcome{}, wire.CodeNotFound, `element not found: #go`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inQueue(t, func(ctx context.Context, c *call) {
				ctx, cancel := context.WithTimeout(ctx, 0)
				defer cancel()
				tt.out.Stopped = "late"
				at := target{sel: selector{given: "#go"}, query: "#go", why: tt.first}
				if err := c.giveUp(ctx, at, tt.out); !errors.Is(err, tt.code) || wire.AsError(err).Message != tt.want {
					t.Errorf("giveUp() = %v, want %s: %s", err, tt.code, tt.want)
				}
			})
		})
	}
}
