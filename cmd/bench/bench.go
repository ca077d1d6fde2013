package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// bench is one run: the contenders, the site that they visit, and what was measured.
type bench struct {
	options
	dir        string // of everything that the run makes
	site       *site
	contenders []*contender
	figures    []figure
	versions   []string
	began      time.Time
}

const self = "abrowser"

func newBench(ctx context.Context, o options) (*bench, error) {
	dir, err := os.MkdirTemp("/tmp", "abbench") // a socket's path is short
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

// prepare builds us, fetches the peers and has each of them warm.
func (b *bench) prepare(ctx context.Context) error {
	b.progress("building abrowser")
	us, err := b.ours(ctx)
	if err != nil {
		return err
	}
	if b.browser == "" {
		if b.browser, err = us.findBrowser(ctx); err != nil {
			return err
		}
	}
	b.contenders = append(b.contenders, us)
	for _, name := range b.peers {
		b.progress("fetching %s", name)
		peers, err := b.peer(ctx, name)
		if err != nil {
			return err
		}
		b.contenders = append(b.contenders, peers...)
	}
	for _, c := range b.contenders {
		b.progress("warming up %s", c.name)
		if err := c.verify(ctx, b.site); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
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
	_ = os.RemoveAll(b.dir) // a browser may still be writing; /tmp is cleaned anyway
}

// contenderNamed returns the contender with the name, nil where it does not take part.
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

// report prints the figures, each with its ratio to ours.
func (b *bench) report(out io.Writer) error {
	if len(b.figures) == 0 {
		return errors.New("no scenario matches -only")
	}
	own := map[string]float64{}
	for _, f := range b.figures {
		if f.Contender == self {
			own[f.Scenario] = f.Median
		}
	}
	for i := range b.figures {
		if ours := own[b.figures[i].Scenario]; ours > 0 {
			b.figures[i].Ratio = b.figures[i].Median / ours
		}
	}
	machine := fmt.Sprintf("%d cores, %s/%s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, b.browserVersion())
	if b.json {
		return json.NewEncoder(out).Encode(map[string]any{"machine": machine, "versions": b.versions, "flags": b.flags(), "figures": b.figures})
	}
	fmt.Fprintf(out, "%s; %s\nbrowser flags: %s\n\n", machine, strings.Join(b.versions, ", "), strings.Join(b.flags(), " "))
	fmt.Fprintf(out, "%-34s %-26s %10s %10s %5s %7s\n", "scenario", "contender", "median", "p95", "runs", "ratio")
	last := ""
	for _, f := range b.figures {
		name := f.Scenario
		if name == last {
			name = ""
		}
		last = f.Scenario
		p95, ratio := "", ""
		if f.P95 > 0 {
			p95 = fmt.Sprintf("%.1f", f.P95)
		}
		if f.Ratio > 0 {
			ratio = fmt.Sprintf("%.2f", f.Ratio)
		}
		fmt.Fprintf(out, "%-34s %-26s %8.1f %-3s %8s %5d %7s\n", name, f.Contender, f.Median, shortUnit(f.Unit), p95, f.Runs, ratio)
	}
	fmt.Fprintf(out, "\nratio: to abrowser in this run; %s in all\n", time.Since(b.began).Round(time.Second))
	return nil
}

func shortUnit(unit string) string {
	if unit == "tasks/min" {
		return "/m"
	}
	return unit
}

func (b *bench) browserVersion() string {
	out, err := exec.Command(b.browser, "--version").Output() //nolint:noctx // it prints a line
	if err != nil {
		return b.browser
	}
	return strings.TrimSpace(strings.SplitN(string(out), "\n", 2)[0])
}

// flags are what peers that take flags start the browser with, so that all have
// the same.
func (b *bench) flags() []string {
	flags := []string{"--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"}
	if os.Getuid() == 0 {
		flags = append(flags, "--no-sandbox")
	}
	return flags
}

// own is a new directory of the run.
func (b *bench) own(name string) (string, error) {
	dir := filepath.Join(b.dir, name)
	return dir, os.MkdirAll(dir, 0o700)
}
