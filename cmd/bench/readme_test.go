package main

import (
	"os"
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

// Both READMEs have a block for the figures, and replaceBlock changes only that block.
func TestReadmesHavePlace(t *testing.T) {
	for _, path := range []string{benchReadme, treeReadme} {
		text := textOf(t, path)
		got, err := replaceBlock(text, "figures\n")
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if again, err := replaceBlock(got, "figures\n"); err != nil || again != got {
			t.Errorf("%s: replacing the block again: %v, text changed: %v", path, err, again != got)
		}
		if before, _, _ := strings.Cut(text, blockBegin); !strings.HasPrefix(got, before+blockBegin+"figures\n"+blockEnd) {
			t.Errorf("%s: the text before the block was changed", path)
		}
	}
	if _, err := replaceBlock("nothing", "figures\n"); err == nil {
		t.Error("replaceBlock accepts a text without a block")
	}
}

// The figures in the project's README are an extract of those in cmd/bench/README.md.
func TestReadmeIsExtract(t *testing.T) {
	_, all, _, err := cutBlock(textOf(t, benchReadme))
	if err != nil {
		t.Fatal(err)
	}
	want, err := extract(all)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _, err := cutBlock(textOf(t, treeReadme))
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("%s has the rows\n%swant those of cmd/bench/README.md:\n%s", treeReadme, got, want)
	}
}

func TestExtractWithoutRow(t *testing.T) {
	if got, err := extract(tableHead + "| get url | 1.00 ms |  |\n"); err == nil {
		t.Errorf("extract of a table without most rows = %q, want an error", got)
	}
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
