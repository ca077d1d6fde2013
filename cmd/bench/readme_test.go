package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadmeBlock(t *testing.T) {
	r := result{
		Date: "2026-01-02", Machine: "2 cores", Versions: []string{"abrowser abc", "Chromium 1"}, Flags: []string{"--no-first-run"},
		Figures: []figure{
			{Scenario: "get url", Contender: self, Unit: "ms", Median: 4.25, P95: 12.34, Runs: 30, Ratio: 1},
			{Scenario: "get url", Contender: "peer", Unit: "ms", Median: 8.5, P95: 9, Runs: 30, Ratio: 2},
			{Scenario: "get url", Contender: "other", Error: "exit status 1"},
			{Scenario: "the floor", Contender: "bare process", Unit: "ms", Median: 1.5},
			{Scenario: "memory", Contender: self, Unit: "MB", Median: 512.4, Ratio: 1},
		},
	}
	got := r.block()
	for _, want := range []string{
		"Measured on 2026-01-02, on 2 cores, with abrowser abc, Chromium 1.\n",
		"| get url | 4.25 ms (12.3) | peer 2.00; other failed |\n",
		"| the floor |  | bare process 1.50 ms |\n",
		"| memory | 512 MB |  |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the block has no line %q:\n%s", want, got)
		}
	}
}

// The README that there is has a place for the figures, and keeps the rest.
func TestReadmeHasPlace(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := replaceBlock(string(text), "figures\n")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := replaceBlock(got, "figures\n"); err != nil || again != got {
		t.Errorf("a second time: %v; the text is another one: %v", err, again != got)
	}
	if before, _, _ := strings.Cut(string(text), blockBegin); !strings.HasPrefix(got, before+blockBegin+"figures\n"+blockEnd) {
		t.Error("what is before the block was changed")
	}
	if _, err := replaceBlock("nothing", "figures\n"); err == nil {
		t.Error("a text without a place was taken")
	}
}
