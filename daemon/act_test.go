package daemon

import (
	"errors"
	"testing"
	"time"
)

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
