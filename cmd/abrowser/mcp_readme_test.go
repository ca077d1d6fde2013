//go:build linux

package main_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// One MCP server gets all calls in the mcp blocks of README.md and mcp/README.md, in order. The
// result of each call must contain the text that the block shows.
func TestMCPExamplesOfTheReadme(t *testing.T) {
	t.Parallel()
	var blocks [][]string
	for _, path := range []string{"../../README.md", "mcp/README.md"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile("(?s)\n```mcp\n(.*?)```").FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 {
			t.Fatalf("%s has no mcp blocks", path)
		}
		blocks = append(blocks, found...)
	}
	if len(blocks) != 3 {
		t.Fatalf("the documents have %d blocks of calls, want 3", len(blocks))
	}
	s := site.Start(t)
	h := e2e.NewHome(t)
	c := dialMCP(t, h, "--tools", "all")
	for _, block := range blocks {
		for line := range strings.Lines(block[1]) {
			tool, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			given, want, _ := strings.Cut(rest, " => ")
			var args map[string]any
			if err := json.Unmarshal([]byte(strings.ReplaceAll(given, "localhost:8000", s.URL(""))), &args); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			_, said, failed := c.call(tool, args)
			if failed != strings.HasPrefix(want, "No session") || !strings.Contains(said, want) {
				t.Fatalf("%sanswers %v %q", line, failed, said)
			}
		}
	}
}
