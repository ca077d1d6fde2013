package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// measurePipe measures the least time that a request to the browser can take. It starts a browser
// without abrowser, and sends the requests over the browser's pipe.
func measurePipe(ctx context.Context, b *bench, name string) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	bare, err := b.startBare(ctx, "pipe")
	if err != nil {
		return err
	}
	defer bare.end()
	var took series
	for i := range 10 * max(leastRounds, b.rounds) {
		var version struct{ Product string }
		began := time.Now()
		if err := bare.ask("", "Browser.getVersion", nil, &version); err != nil {
			return err
		}
		if !strings.Contains(version.Product, "Chrom") {
			return fmt.Errorf("the browser says that it is %q", version.Product)
		}
		if i > 0 { // the first request waits until the browser has started
			took = append(took, time.Since(began))
		}
	}
	b.time(name, bareName, took)
	return nil
}

const bareName = "bare browser"

// measureBareGrowth shows how much of the growth that measureGrowth finds is due to the browser
// alone. It measures, without abrowser, how long a new page takes to load a document while more and
// more pages are open.
func measureBareGrowth(ctx context.Context, b *bench, name string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*commandTime)
	defer cancel()
	bare, err := b.startBare(ctx, "bare")
	if err != nil {
		return err
	}
	defer bare.end()
	pages := 0
	for _, n := range slices.Sorted(slices.Values(b.growth)) {
		for ; pages < n; pages++ {
			if _, err := bare.open(b.site.url("/next")); err != nil {
				return err
			}
		}
		if err := pause(ctx, settling); err != nil {
			return err
		}
		var took series
		var fresh []string
		for range newcomers {
			began := time.Now()
			target, err := bare.open(b.site.url("/next"))
			if err != nil {
				return err
			}
			took, fresh = append(took, time.Since(began)), append(fresh, target)
			if err := pause(ctx, time.Second); err != nil {
				return err
			}
		}
		for _, target := range fresh {
			if err := bare.ask("", "Target.closeTarget", map[string]any{"targetId": target}, nil); err != nil {
				return err
			}
		}
		b.time(fmt.Sprintf("%s, %d live", name, n), bareName, took)
	}
	return nil
}
