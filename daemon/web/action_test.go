package daemon

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/wire"
)

// shownElement is one that is there and can be seen.
type shownElement struct{ locator }

func (shownElement) Count() (int, error) { return 1, nil }

func (shownElement) IsVisible(...playwright.LocatorIsVisibleOptions) (bool, error) { return true, nil }

// inLane is a click that has the lane of a session, until the test ends.
func inLane(t *testing.T) (*turn, context.Context) {
	t.Helper()
	s := &Session{}
	ctx, slot, err := s.lane.enter(t.Context(), "click")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(slot.leave)
	return &turn{Session: s, slot: slot, call: &wire.Call{}}, ctx
}

// lateElement answers, and not at once.
type lateElement struct{ shownElement }

func (lateElement) Count() (int, error) {
	time.Sleep(50 * time.Millisecond) // five times what is left to a command whose time is over
	return 1, nil
}

// A page that answers a command whose time is just over is late, and not wedged.
func TestLateIsNotWedged(t *testing.T) {
	act, ctx := inLane(t)
	ctx, cancel := context.WithTimeout(ctx, 0)
	defer cancel()
	if n, err := act.count(ctx, lateElement{}); n != 1 || err != nil {
		t.Errorf("count() = %d, %v", n, err)
	}
}

// What an element lacked is told as whichever looked at it last saw it.
func TestGiveUp(t *testing.T) {
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
		{"it is not there", "", outcome{}, wire.CodeNotFound, `no element matches "#go"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			act, ctx := inLane(t)
			ctx, cancel := context.WithTimeout(ctx, 0)
			defer cancel()
			tt.out.Stopped = "late"
			at := target{sel: selector{given: "#go"}, query: "#go", why: tt.first}
			if err := act.giveUp(ctx, at, tt.out); !errors.Is(err, tt.code) || wire.AsError(err).Message != tt.want {
				t.Errorf("giveUp() = %v, want %s: %s", err, tt.code, tt.want)
			}
		})
	}
}
