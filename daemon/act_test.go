package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/wire"
)

// shownElement is one that is there and can be seen.
type shownElement struct{ locator }

func (shownElement) Count() (int, error) { return 1, nil }

func (shownElement) IsVisible(...playwright.LocatorIsVisibleOptions) (bool, error) { return true, nil }

// clicking is a click that has the lane of a session, until the test ends.
func clicking(t *testing.T) (*turn, context.Context) {
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
	act, ctx := clicking(t)
	ctx, cancel := context.WithTimeout(ctx, 0)
	defer cancel()
	if n, err := act.count(ctx, lateElement{}); n != 1 || err != nil {
		t.Errorf("count() = %d, %v", n, err)
	}
}

// An element that was not ready has the reason of whoever looked at it last, also
// where Playwright had no time to.
func TestGiveUp(t *testing.T) {
	for _, tt := range []struct {
		name, first, last string
		code              wire.Code
		want              string
	}{
		{"nobody has looked", "", "", wire.CodeTimeout, `"#go" was not ready in time`},
		{"we have", "is not enabled", "", wire.CodeNotActionable, `"#go" is not enabled`},
		{"Playwright has, too", "is not enabled", "is covered by <p></p>", wire.CodeNotActionable, `"#go" is covered by <p></p>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			act, ctx := clicking(t)
			ctx, cancel := context.WithTimeout(ctx, 0)
			defer cancel()
			at := target{sel: selector{given: "#go"}, find: shownElement{}, all: shownElement{}, why: tt.first}
			if err := act.giveUp(ctx, at, tt.last); !errors.Is(err, tt.code) || wire.AsError(err).Message != tt.want {
				t.Errorf("giveUp() = %v, want %s: %s", err, tt.code, tt.want)
			}
		})
	}
}

// An action that was only tried when its time was over is done next.
func TestTriedIsNotDone(t *testing.T) {
	act, ctx := clicking(t)
	logs := []string{"attempting click action\n    - element is not enabled", "performing click action\n    - trial click action done"}
	var did []bool
	err := act.act(ctx, &page{link: &link{}}, target{find: shownElement{}, all: shownElement{}}, action{name: "click", trial: true, do: func(_ *float64, trial *bool) error {
		did = append(did, *trial)
		if len(did) > len(logs) {
			return nil
		}
		return fmt.Errorf("%w\nCall log:\n  - %s", playwright.ErrTimeout, logs[len(did)-1])
	}})
	if want := []bool{false, true, false}; err != nil || !slices.Equal(did, want) {
		t.Errorf("act() = %v after calls that were trials %v, want %v", err, did, want)
	}
}

func TestProgressOf(t *testing.T) {
	click := action{name: "click", trial: true}
	tests := []struct {
		name, log string
		want      progress
	}{
		{"nothing yet", "\n  - waiting for locator('#a')", slow},
		{"on the way", "\n  - attempting click action\n    - waiting for element to be visible, enabled and stable", slow},
		{"disabled", "\n  - attempting click action\n    - waiting for element to be visible, enabled and stable\n    - element is not enabled", refused},
		{"disabled again", "\n  - attempting click action\n    - element is not enabled\n  - retrying click action\n    - waiting 20ms", refused},
		{"covered", "\n  - attempting click action\n    - <div id=\"cover\"></div> intercepts pointer events", refused},
		{"begun", "\n  - attempting click action\n    - performing click action", unknown},
		{"begun, then kept from what was in the way", "\n    - performing click action\n    - <div></div> intercepts pointer events\n  - retrying click action", refused},
		{"begun again", "\n    - performing click action\n    - <div></div> intercepts pointer events\n  - retrying click action\n    - performing click action", unknown},
		{"done", "\n    - performing click action\n    - click action done\n    - waiting for scheduled navigations to finish", done},
		{"tried", "\n  - attempting click action (trial run)\n    - performing click action\n    - trial click action done\n    - waiting for scheduled navigations to finish", tried},
		{"another action's", "\n    - performing hover action", slow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := progressOf(click, tt.log); got != tt.want {
				t.Errorf("progressOf() = %d, want %d", got, tt.want)
			}
		})
	}
	err := errors.New("timeout\nCall log:\n  - attempting click action\n    - <div id=\"cover\"></div> intercepts pointer events")
	if got, want := refusal(err), `is covered by <div id="cover"></div>`; got != want {
		t.Errorf("refusal() = %q, want %q", got, want)
	}
}

func TestTryTime(t *testing.T) {
	for look, want := range map[time.Duration]time.Duration{
		0:                       firstTry,
		2 * time.Millisecond:    firstTry,
		50 * time.Millisecond:   2 * time.Second,
		900 * time.Millisecond:  mostTry,
		1000 * time.Millisecond: mostTry,
	} {
		if got := tryTime(look); got != want {
			t.Errorf("after a look of %v it may take %v, want %v", look, got, want)
		}
	}
}
