package main

import (
	"context"
	_ "embed" // for inprocess.js
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// measureLibrary measures Playwright in a Node process that connects to a browser over CDP. Half of
// the runs connect directly to a browser's debugging port. The other half connect to abrowser's
// broker, which forwards the messages to its browser. The difference between the times of the two
// halves is the cost of the broker.
func measureLibrary(ctx context.Context, b *bench, name string) error {
	c := b.contenderNamed(self)
	libraries, err := filepath.Glob(filepath.Join(c.dir, ".abrowser", "driver", "*", "package"))
	if err != nil {
		return err
	}
	if len(libraries) != 1 {
		return fmt.Errorf("%d of our drivers are installed, want one", len(libraries))
	}
	port, stop, err := b.chromeWithPort(ctx, "library")
	if err != nil {
		return err
	}
	defer stop(ctx)
	endpoint, _, err := c.command(ctx, "--session", "library", "get", "cdp-url")
	if err != nil {
		return err
	}
	// If this command fails, the end of the run closes the session.
	defer func() { _, _, _ = c.command(ctx, "--session", "library", "close", "--page") }()
	for range leastRounds {
		for _, way := range []struct{ name, endpoint string }{{"straight", "http://127.0.0.1:" + port}, {"through our broker", strings.TrimSpace(endpoint)}} {
			times, err := b.inProcess(ctx, libraries[0], way.endpoint)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			b.library = append(b.library, libraryRun{way.name, times})
		}
	}
	for _, what := range slices.Sorted(maps.Keys(b.library[0].times)) {
		all := map[string]series{}
		for _, run := range b.library {
			for _, one := range run.times[what] {
				all[run.way] = append(all[run.way], time.Duration(one*float64(time.Millisecond)))
			}
		}
		for _, way := range []string{"straight", "through our broker"} {
			b.time(name+": "+what, way, all[way])
		}
	}
	return nil
}

// libraryRun holds the times that one Node process measured, in milliseconds, by the name of the
// measured operation.
type libraryRun struct {
	way   string
	times map[string][]float64
}

//go:embed inprocess.js
var inProcess string

func (b *bench) inProcess(ctx context.Context, library, endpoint string) (map[string][]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	program := filepath.Join(b.dir, "inprocess.js")
	if err := os.WriteFile(program, []byte(inProcess), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "node", program, library, endpoint, b.site.url(""), strconv.Itoa(max(leastRounds, b.rounds/3)))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var times map[string][]float64
	return times, json.Unmarshal(out, &times)
}
