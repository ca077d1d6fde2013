package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// bench is a run: its contenders, the site that they visit, and the measured figures.
type bench struct {
	options
	dir        string // contains all files that the run creates
	site       *site
	contenders []*contender
	figures    []figure
	readings   []reading
	versions   []string
	library    []libraryRun
	places     int // how many directories of places there are; see together
	began      time.Time
}

const self = "abrowser"

func newBench(ctx context.Context, o options) (*bench, error) {
	dir, err := os.MkdirTemp("/tmp", "abbench") // short, since socket paths are limited
	if err != nil {
		return nil, err
	}
	b := &bench{options: o, dir: dir, site: startSite(), began: time.Now()}
	if err := b.prepare(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// prepare builds abrowser, fetches the peers, and warms up every contender with a few commands,
// whose effects it checks. If the warm-up of abrowser fails, prepare returns an error. If the
// warm-up of another contender fails, the run continues without this contender.
func (b *bench) prepare(ctx context.Context) error {
	b.progress("building abrowser")
	us, err := b.buildOwn(ctx)
	if err != nil {
		return err
	}
	if b.browser == "" {
		if b.browser, err = us.findBrowser(ctx); err != nil {
			return err
		}
	}
	b.contenders = append(b.contenders, us)
	b.contenders = append(b.contenders, b.variants(us)...)
	for _, name := range b.peers {
		b.progress("fetching %s", name)
		peers, err := b.fetchPeer(ctx, name)
		if err != nil {
			return err
		}
		b.contenders = append(b.contenders, peers...)
	}
	for _, c := range slices.Clone(b.contenders) {
		b.progress("warming up %s", c.name)
		err := c.verify(ctx, b.site)
		switch {
		case err == nil:
		case c == us || ctx.Err() != nil:
			return fmt.Errorf("%s: %w", c.name, err)
		default: // continue with the other contenders
			b.fail("warming up", c.name, err)
			c.end(ctx)
			b.contenders = slices.DeleteFunc(b.contenders, func(x *contender) bool { return x == c })
		}
	}
	return nil
}

func (b *bench) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, c := range b.contenders {
		c.end(ctx)
	}
	b.site.close()
	killBelow(b.dir)
	for range 20 { // a killed process may not have exited yet
		if err := os.RemoveAll(b.dir); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// contenderNamed returns the contender with the given name, or nil if the run has no such
// contender.
func (b *bench) contenderNamed(name string) *contender {
	for _, c := range b.contenders {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (b *bench) time(scenario, contender string, s series) {
	b.figures = append(b.figures, figure{
		Scenario: scenario, Contender: contender, Unit: "ms", Median: ms(s.median()), P95: ms(s.p95()), Runs: len(s),
	})
}

func (b *bench) quantity(scenario, contender, unit string, value float64) {
	b.figures = append(b.figures, figure{Scenario: scenario, Contender: contender, Unit: unit, Median: value, Runs: 1})
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line[:min(len(line), 200)]
}

// flags returns the flags with which every contender starts its browser, if the contender accepts
// browser flags.
func (b *bench) flags() []string {
	flags := []string{"--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"}
	if os.Getuid() == 0 {
		flags = append(flags, "--no-sandbox")
	}
	return flags
}

// makeDir creates a directory with the given name in the directory of the run, and returns its
// path.
func (b *bench) makeDir(name string) (string, error) {
	dir := filepath.Join(b.dir, name)
	return dir, os.MkdirAll(dir, 0o700)
}
