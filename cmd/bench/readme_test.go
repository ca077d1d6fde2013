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

func TestReadBlock(t *testing.T) {
	r := result{Date: "2026-01-02", Versions: []string{"abrowser abc"}}
	for _, app := range []string{"todo", "grid"} {
		for _, reader := range readers() {
			for _, l := range reader.looks {
				r.Readings = append(r.Readings, reading{App: app, Contender: reader.name, Look: l, Characters: 400, Tokens: 100, Refs: 9})
			}
		}
	}
	set := func(contender string, l look, tokens int) {
		for i, one := range r.Readings {
			if one.App == "grid" && one.Contender == contender && one.Look == l {
				r.Readings[i].Tokens = tokens
			}
		}
	}
	set(self, interactive, 150)
	set("agent-browser", interactive, 140)
	set("playwright-cli", full, 130)
	set(self, full, 130)
	set("agent-browser", full, 131)
	set(self, delta, 30)
	for i := range r.Readings {
		if one := &r.Readings[i]; one.App == "todo" && one.Contender == self && one.Look == delta {
			one.Tokens, one.Error = 0, "it crashed"
		}
	}
	got := r.readBlock()
	for _, want := range []string{
		"Measured on 2026-01-02, with abrowser abc.",
		"| tokens, the mean of 2 apps from npm |",
		"| first look: `snapshot -i` | 125 | 120 | 115 |\n",
		"| second look, after a click: `snapshot -i --delta` | failed in todo | 100 | 100 |\n",
		"| playwright-cli: full | after a click |\n|---|",
		"| grid | 130 (400) | 150 (400) | 30 (400) | 100 (400) | 131 (400) | 140 (400) | 100 (400) | 130 (400) | 100 (400) |\n",
		"| todo | 100 (400) | 100 (400) | failed |",
		"Missed goals:\n\n- grid, -i: 150 tokens for 9 refs, more than the 130 for 9 refs of playwright-cli\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the block has no line %q:\n%s", want, got)
		}
	}
	if missed := strings.Count(got, "\n- "); missed != 1 {
		t.Errorf("%d goals are missed, want 1:\n%s", missed, got)
	}
	set(self, delta, 31)
	if want := "- grid, -i --delta after a click: 31 tokens, more than a fifth of the 150 of the first look\n"; !strings.Contains(r.readBlock(), want) {
		t.Errorf("the block has no line %q:\n%s", want, r.readBlock())
	}
}

func places() map[string]place {
	return map[string]place{"figures": figuresPlace(), "readings": readingsPlace()}
}

// TestReadmesHavePlaces checks that both READMEs have a place for each block, and that the method
// replace changes only this block.
func TestReadmesHavePlaces(t *testing.T) {
	for name, p := range places() {
		for _, path := range []string{benchReadme, treeReadme} {
			text := textOf(t, path)
			got, err := p.replace(text, "new\n")
			if err != nil {
				t.Fatalf("%s of %s: %v", name, path, err)
			}
			if again, err := p.replace(got, "new\n"); err != nil || again != got {
				t.Errorf("%s of %s: replacing the block again: %v, text changed: %v", name, path, err, again != got)
			}
			if before, _, _ := strings.Cut(text, p.begin); !strings.HasPrefix(got, before+p.begin+"new\n"+p.end) {
				t.Errorf("%s of %s: the text before the block was changed", name, path)
			}
		}
		if _, err := p.replace("nothing", "new\n"); err == nil {
			t.Errorf("replace accepts a text without a place for the %s", name)
		}
	}
}

// TestReadmeIsExtract checks that the blocks of the project's README are extracts of the blocks of
// cmd/bench/README.md.
func TestReadmeIsExtract(t *testing.T) {
	for name, p := range places() {
		_, all, _, err := p.cut(textOf(t, benchReadme))
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.extract(all)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, got, _, err := p.cut(textOf(t, treeReadme))
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s has the %s\n%swant those of cmd/bench/README.md:\n%s", treeReadme, name, got, want)
		}
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
