package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

const (
	lingering = 8 * time.Second // pause in which the previous scenario's processes exit
	settling  = 4 * time.Second // pause in which new sessions free memory and become idle
	newcomers = 8               // number of new sessions that each measurement starts
)

// growth measures the cost of sessions while more and more of them are live: how long a new session
// and a warm command take, and how much CPU time and memory the processes use.
type growth struct {
	*bench
	c     *contender
	name  string
	alive int
	least int    // number of live sessions at the first measurement
	first memory // memory at the first measurement
}

func measureGrowth(ctx context.Context, b *bench, name string) error {
	g := &growth{bench: b, c: b.contenderNamed(self), name: name}
	// Earlier scenarios left tabs open.
	if _, _, err := g.c.command(ctx, "tab", "prune", "--all"); err != nil {
		return err
	}
	if err := pause(ctx, lingering); err != nil {
		return err
	}
	defer g.end(ctx)
	for _, n := range slices.Sorted(slices.Values(b.growth)) {
		if err := g.measureAt(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (g *growth) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	for i := range g.alive {
		_, _ = g.c.do(ctx, session(i), closeSession, "") // on an error, the end of the run closes it
	}
}

func session(i int) string { return fmt.Sprintf("g%d", i) }

// measureAt starts sessions until n of them are live, and then measures and records all figures.
func (g *growth) measureAt(ctx context.Context, n int) error {
	var warm series
	for ; g.alive < n; g.alive++ {
		if _, err := g.c.do(ctx, session(g.alive), openURL, g.site.url("/next")); err != nil {
			return err
		}
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
	fresh, each, err := g.newSessions(ctx)
	if err != nil {
		return err
	}
	live := fmt.Sprintf(", %d live", n)
	g.time(g.name+": new session"+live, self, fresh)
	g.time(g.name+": get url"+live, self, warm)
	g.quantity(g.name+": broker's CPU an eval"+live, self, "µs", float64(cpu.Nanoseconds())/1000)
	ours := time.Duration(0)
	for _, kind := range []string{kindDaemons, kindBroker, kindDrivers} {
		ours += idle[kind]
	}
	g.quantity(g.name+": CPU of all when idle"+live, self, "ms/s", ms(ours))
	g.memory(n, now)
	g.work(n, each)
	return nil
}

// memory records how much memory each further session takes. This is the growth of the memory since
// the first measurement, divided by the number of sessions that were started since then. The first
// call of memory only stores the values of the first measurement.
func (g *growth) memory(n int, now memory) {
	if g.least == 0 {
		g.least, g.first = n, now
		return
	}
	row := func(what string, before, now float64) {
		g.quantity(fmt.Sprintf("%s: %s a further session, %d live", g.name, what, n), self, "MB", (now-before)/float64(n-g.least))
	}
	row("memory", g.first.all, now.all)
	row("memory without renderers", g.first.all-g.first.renderers, now.all-now.renderers)
	if n == slices.Max(g.growth) {
		for _, kind := range slices.Sorted(maps.Keys(now.others)) {
			row("of it "+kind, g.first.others[kind], now.others[kind])
		}
	}
}

// idleCPU returns how much CPU time the contender's processes use in one second while no command
// runs, by the kind of process (see kindOf).
func (g *growth) idleCPU(ctx context.Context) (map[string]time.Duration, error) {
	if err := pause(ctx, settling); err != nil {
		return nil, err
	}
	before, began := cpuTimeBelow(g.c.dir), time.Now()
	if err := pause(ctx, settling); err != nil {
		return nil, err
	}
	idle := cpuTimeBelow(g.c.dir)
	for kind := range idle {
		idle[kind] = time.Duration(float64(idle[kind]-before[kind]) / time.Since(began).Seconds())
	}
	return idle, nil
}

// newSessions starts several sessions and closes them again. It pauses for a second after each
// start, because in practice tasks do not start all at the same time. It returns how long each
// session took to start, and the mean CPU time for the start of one session, by the kind of
// process. This CPU time does not include the time that idle processes use.
func (g *growth) newSessions(ctx context.Context) (series, map[string]time.Duration, error) {
	var fresh series
	idle, err := g.idleCPU(ctx)
	if err != nil {
		return nil, nil, err
	}
	before, began := cpuTimeBelow(g.c.dir), time.Now()
	for i := range newcomers {
		one, err := g.c.do(ctx, fmt.Sprintf("late%d", i), openURL, g.site.url("/next"))
		if err != nil {
			return nil, nil, err
		}
		fresh = append(fresh, one)
		if err := pause(ctx, time.Second); err != nil {
			return nil, nil, err
		}
	}
	each := cpuTimeBelow(g.c.dir)
	for kind, all := range each {
		rest := time.Duration(float64(idle[kind]) * time.Since(began).Seconds())
		each[kind] = max(0, all-before[kind]-rest) / newcomers
	}
	for i := range newcomers {
		if _, err := g.c.do(ctx, fmt.Sprintf("late%d", i), closeSession, ""); err != nil {
			return nil, nil, err
		}
	}
	_, _, err = g.c.command(ctx, "tab", "prune", "--prefix", "late")
	return fresh, each, err
}

// work records the CPU time of a new session, which newSessions has measured at n live sessions. It
// does not include the CPU time of the command that started the session, because the process of the
// command had exited before the measurement.
func (g *growth) work(n int, each map[string]time.Duration) {
	sum := time.Duration(0)
	for _, kind := range slices.Sorted(maps.Keys(each)) {
		sum += each[kind]
	}
	g.quantity(fmt.Sprintf("%s: CPU of a new session, %d live", g.name, n), self, "ms", ms(sum))
	if n != g.least && n != slices.Max(g.growth) {
		return
	}
	for _, kind := range slices.Sorted(maps.Keys(each)) {
		g.quantity(fmt.Sprintf("%s: of it %s, %d live", g.name, kind, n), self, "ms", ms(each[kind]))
	}
}
