package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

const (
	lingering = 8 * time.Second // after which what served the scenario before has ended
	settling  = 4 * time.Second // after which what began a session has given back what it took
)

// growth is our own: what a new session, a warm command and a message of the broker's
// take, and what memory each further session has, with more and more alive.
type growth struct {
	*bench
	c     *contender
	name  string
	alive int
	least int    // sessions at the first measurement
	first memory // at that
}

func measureGrowth(ctx context.Context, b *bench, name string) error {
	g := &growth{bench: b, c: b.contenderNamed(self), name: name}
	if _, _, err := g.c.command(ctx, "tab", "prune", "--all"); err != nil { // what earlier tasks left
		return err
	}
	if err := pause(ctx, lingering); err != nil {
		return err
	}
	defer g.end(ctx)
	for _, n := range slices.Sorted(slices.Values(b.growth)) {
		if err := g.at(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (g *growth) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	for i := range g.alive {
		_, _ = g.c.do(ctx, session(i), closeSession, "") // the run's end closes all
	}
}

func session(i int) string { return fmt.Sprintf("g%d", i) }

// at measures with n sessions alive.
func (g *growth) at(ctx context.Context, n int) error {
	var fresh, warm series
	for ; g.alive < n; g.alive++ {
		one, err := g.c.do(ctx, session(g.alive), openURL, g.site.url("/next"))
		if err != nil {
			return err
		}
		fresh = append(fresh, one)
	}
	if err := pause(ctx, settling); err != nil {
		return err
	}
	for range g.rounds {
		one, err := g.c.do(ctx, session(0), getURL, g.site.url("/next"))
		if err != nil {
			return err
		}
		warm = append(warm, one)
	}
	cpu, err := brokerPerEval(ctx, g.c, session(0))
	if err != nil {
		return err
	}
	idle, err := g.idleCPU(ctx)
	if err != nil {
		return err
	}
	now, err := measureMemory(g.c.dir)
	if err != nil {
		return err
	}
	live := fmt.Sprintf(", %d live", n)
	g.time(g.name+": new session"+live, self, fresh[max(0, len(fresh)-10):])
	g.time(g.name+": get url"+live, self, warm)
	g.quantity(g.name+": broker's CPU an eval"+live, self, "µs", float64(cpu.Nanoseconds())/1000)
	g.quantity(g.name+": CPU of all when idle"+live, self, "ms/s", idle)
	g.memory(n, now)
	return nil
}

// memory tells what each session beyond those of the first measurement has.
func (g *growth) memory(n int, now memory) {
	if g.least == 0 {
		g.least, g.first = n, now
		return
	}
	row := func(what string, then, now float64) {
		g.quantity(fmt.Sprintf("%s: %s a further session, %d live", g.name, what, n), self, "MB", (now-then)/float64(n-g.least))
	}
	row("memory", g.first.all, now.all)
	row("memory without renderers", g.first.all-g.first.renderers, now.all-now.renderers)
	if n == slices.Max(g.growth) {
		for _, kind := range slices.Sorted(maps.Keys(now.others)) {
			row("of it "+kind, g.first.others[kind], now.others[kind])
		}
	}
}

// idleCPU is how long all our processes but the browser's work in a second in which
// nothing is asked of them, in milliseconds.
func (g *growth) idleCPU(ctx context.Context) (float64, error) {
	if err := pause(ctx, settling); err != nil {
		return 0, err
	}
	sum := func() (all time.Duration) {
		for _, p := range processesBelow(g.c.dir) {
			switch kindOf(p.command) {
			case "daemons", "broker and keeper", "drivers":
				all += worked(p.pid)
			}
		}
		return all
	}
	before, began := sum(), time.Now()
	if err := pause(ctx, settling); err != nil {
		return 0, err
	}
	return ms(sum()-before) / time.Since(began).Seconds(), nil
}
