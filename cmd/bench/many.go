package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// measureTasks has many tasks do the workflow at once, each in a session of its
// own. Those who start a browser for each have fewer, which is told beside the name.
func measureTasks(ctx context.Context, b *bench, name string) error {
	for _, c := range b.contenders {
		if !c.takesPart(name) {
			continue
		}
		tasks, row := b.tasks, c.name
		if !c.one {
			tasks = min(b.few, b.tasks)
			row = fmt.Sprintf("%s (%d)", c.name, tasks)
		}
		began := time.Now()
		took, err := b.tasksOf(ctx, c, tasks)
		wall := time.Since(began)
		if err != nil {
			b.fail(name, row, err)
		} else {
			memory, err := pssBelow(c.dir)
			if err != nil {
				return err
			}
			b.time(name, row, took)
			b.quantity(name+": tasks a minute", row, "tasks/min", float64(tasks)/wall.Minutes())
			b.quantity(name+": memory of all", row, "MB", memory)
		}
		for i := range tasks { // those that failed, too
			_, _ = c.do(ctx, fmt.Sprintf("task%d", i), closeSession, "") // the run's end closes all
		}
	}
	return nil
}

func (b *bench) tasksOf(ctx context.Context, c *contender, tasks int) (series, error) {
	var mu sync.Mutex
	var took series
	var failed error
	var work sync.WaitGroup
	for i := range tasks {
		work.Go(func() {
			began := time.Now()
			err := b.task(ctx, c, fmt.Sprintf("task%d", i))
			mu.Lock()
			defer mu.Unlock()
			took = append(took, time.Since(began))
			if failed == nil {
				failed = err
			}
		})
	}
	work.Wait()
	return took, failed
}

func (b *bench) task(ctx context.Context, c *contender, session string) error {
	if _, err := c.do(ctx, session, openURL, b.site.url("/form")); err != nil {
		return err
	}
	for _, s := range workflow() {
		text := b.text(c, s)
		if s.a == screenshot {
			text = filepath.Join(c.dir, session+".png")
		}
		if _, err := c.do(ctx, session, s.a, text); err != nil {
			return err
		}
	}
	return nil
}

// measureGrowth is our own: what a new session, a warm command and a message of the
// broker's take, and what memory each further session has, with more and more alive.
func measureGrowth(ctx context.Context, b *bench, name string) error {
	c := b.contenderNamed(self)
	alive := 0
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		for i := range alive {
			_, _ = c.do(ctx, fmt.Sprintf("g%d", i), closeSession, "") // the run's end closes all
		}
	}()
	before, err := measureMemory(c.dir)
	if err != nil {
		return err
	}
	for _, n := range slices.Sorted(slices.Values(b.growth)) {
		var fresh, warm series
		for ; alive < n; alive++ {
			one, err := c.do(ctx, fmt.Sprintf("g%d", alive), openURL, b.site.url("/next"))
			if err != nil {
				return err
			}
			fresh = append(fresh, one)
		}
		if err := pause(ctx, time.Second); err != nil { // what begins a session has settled
			return err
		}
		for range b.rounds {
			one, err := c.do(ctx, "g0", getURL, b.site.url("/next"))
			if err != nil {
				return err
			}
			warm = append(warm, one)
		}
		cpu, err := brokerPerEval(ctx, c, "g0")
		if err != nil {
			return err
		}
		memory, err := measureMemory(c.dir)
		if err != nil {
			return err
		}
		live := fmt.Sprintf(", %d live", n)
		b.time(name+": new session"+live, self, fresh[max(0, len(fresh)-10):])
		b.time(name+": get url"+live, self, warm)
		b.quantity(name+": broker's CPU an eval"+live, self, "µs", float64(cpu.Nanoseconds())/1000)
		b.quantity(name+": memory a session"+live, self, "MB", (memory.all-before.all)/float64(n))
		b.quantity(name+": the same without renderers"+live, self, "MB", (memory.all-memory.renderers-before.all+before.renderers)/float64(n))
	}
	return nil
}
