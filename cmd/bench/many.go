package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// measureTasks runs the workflow in many tasks at once, each in its own session. A contender that
// starts a browser for each session runs fewer tasks, and the name of its row says how many.
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
		for i := range tasks { // close the sessions of failed tasks too
			// If this command fails, the end of the run closes the session.
			_, _ = c.do(ctx, fmt.Sprintf("task%d", i), closeSession, "")
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
