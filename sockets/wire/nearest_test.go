package wire

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	choices := []string{"click", "close", "snapshot", "iPhone 15", "iPhone 15 Pro", "Pixel 7"}
	for text, want := range map[string]string{
		"clcik": "click", "snap": "snapshot", "IPHONE 15": "iPhone 15", "iphone_15": "iPhone 15", "xyz": "", "c": "",
	} {
		if got := Nearest(text, choices); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", text, got, want)
		}
	}
	if got, want := MostSimilar("pixle 7", choices, 1), []string{"Pixel 7"}; !slices.Equal(got, want) {
		t.Errorf("MostSimilar() = %q, want %q", got, want)
	}
	if got := MostSimilar("iphone", choices, 2); !slices.Equal(got, []string{"iPhone 15", "iPhone 15 Pro"}) {
		t.Errorf("MostSimilar() = %q", got)
	}
	if got := MostSimilar("x", choices, 99); len(got) != len(choices) {
		t.Errorf("MostSimilar() returns %d choices of %d", len(got), len(choices))
	}
}
