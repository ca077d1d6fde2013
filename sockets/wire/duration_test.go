package wire

import (
	"errors"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "1500": 1500 * time.Millisecond, "90s": 90 * time.Second, "1h30m": 90 * time.Minute, "7d": 7 * 24 * time.Hour,
	} {
		if got, err := ParseDuration("x", text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "-1s", "soon", "1w", "d", "-1d", "1e9", "99999999999999999", "9999999d", "9999999h"} {
		if got, err := ParseDuration("x", text); !errors.Is(err, CodeBadInput) {
			t.Errorf("ParseDuration(%q) = %v, %v, want %s", text, got, err, CodeBadInput)
		}
	}
}
