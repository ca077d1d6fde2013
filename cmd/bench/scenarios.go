package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// scenario measures one thing of every contender that can take part.
type scenario struct {
	name    string
	measure func(ctx context.Context, b *bench, name string) error
}

func scenarios() []scenario {
	return []scenario{
		{"dial a socket (floor)", measureFloor},
		{"get url", alternate(getURL, "/form")},
		{"eval", alternate(evaluate, "21*2")},
		{"fill", alternate(fill, "Ada Lovelace")},
		{"snapshot", alternate(snapshot, "")},
		{"click", alternate(click, "#go")},
		{"navigate", alternate(navigate, "/next")},
		{"screenshot", alternate(screenshot, "shot.png")},
		{"agent loop", flow(onForm, []step{{snapshot, ""}, {click, "#go"}, {snapshot, ""}})},
		{"workflow of 8", flow(nowhere, workflow())},
		{"workflow of 8, batch", measureBatch},
		{"workflow of 8, client package", measureClient},
		{"snapshot of 10,000 elements", flow(onBig, []step{{snapshot, ""}})},
		{"new session", measureNewSession},
		{"cold start", measureColdStart},
		{"many tasks at once", measureTasks},
		{"growth", measureGrowth},
	}
}

type step struct {
	a    action
	text string // a path of the site where the action takes a URL
}

func workflow() []step {
	return []step{{navigate, "/form"}, {snapshot, ""}, {fill, "Ada"}, {click, "#go"}, {getText, "#count"}, {evaluate, "21*2"}, {getURL, "/form"}, {screenshot, "flow.png"}}
}

const (
	nowhere = ""
	onForm  = "/form"
	onBig   = "/big"
)

// text is what the step's action takes, made whole for a contender.
func (b *bench) text(c *contender, s step) string {
	switch {
	case s.a == screenshot:
		return filepath.Join(c.dir, s.text)
	case strings.HasPrefix(s.text, "/"):
		return b.site.url(s.text)
	}
	return s.text
}

// alternate runs an action of the main session in turn by each contender.
func alternate(a action, text string) func(context.Context, *bench, string) error {
	return flow(onForm, []step{{a, text}})
}

// flow runs steps of the main session in turn by each contender, each time from
// the same page.
func flow(start string, steps []step) func(context.Context, *bench, string) error {
	return func(ctx context.Context, b *bench, name string) error {
		took := map[string]series{}
		rounds := max(3, b.rounds/len(steps))
		for range rounds {
			for _, c := range b.contenders {
				if start != nowhere && (steps[0].a == navigate || len(took[c.name]) == 0) {
					if _, err := c.do(ctx, mainSession, navigate, b.site.url(start)); err != nil {
						return err
					}
				}
				var sum time.Duration
				for _, s := range steps {
					one, err := c.do(ctx, mainSession, s.a, b.text(c, s))
					if err != nil {
						return err
					}
					sum += one
				}
				took[c.name] = append(took[c.name], sum)
			}
		}
		for _, c := range b.contenders {
			b.time(name, c.name, took[c.name])
		}
		return nil
	}
}

// measureNewSession is the first command of a session where others run already.
func measureNewSession(ctx context.Context, b *bench, name string) error {
	took := map[string]series{}
	for i := range max(3, b.rounds/5) {
		for _, c := range b.contenders {
			session := fmt.Sprintf("new%d", i)
			one, err := c.do(ctx, session, openURL, b.site.url("/next"))
			if err != nil {
				return err
			}
			took[c.name] = append(took[c.name], one)
			if _, err := c.do(ctx, session, closeSession, ""); err != nil {
				return err
			}
		}
	}
	for _, c := range b.contenders {
		b.time(name, c.name, took[c.name])
	}
	return nil
}

// measureColdStart is the first command of all: nothing of the contender runs.
func measureColdStart(ctx context.Context, b *bench, name string) error {
	took := map[string]series{}
	for range max(3, b.rounds/10) {
		for _, c := range b.contenders {
			if c.onEnd != nil {
				continue // its browser is somebody else's
			}
			c.end(ctx)
			one, err := c.do(ctx, mainSession, openURL, b.site.url("/form"))
			if err != nil {
				return err
			}
			took[c.name] = append(took[c.name], one)
		}
	}
	for _, c := range b.contenders {
		if len(took[c.name]) > 0 {
			b.time(name, c.name, took[c.name])
		}
	}
	return nil
}

// measureTasks has many tasks do the workflow at once, each in a session of its
// own that is there already.
func measureTasks(ctx context.Context, b *bench, name string) error {
	for _, c := range b.contenders {
		if strings.Contains(c.name, "--cdp") {
			continue // its sessions act on one page
		}
		began := time.Now()
		var mu sync.Mutex
		var took series
		var failed error
		var work sync.WaitGroup
		for i := range b.tasks {
			work.Go(func() {
				session := fmt.Sprintf("task%d", i)
				first := time.Now()
				err := b.task(ctx, c, session)
				mu.Lock()
				defer mu.Unlock()
				took = append(took, time.Since(first))
				if failed == nil {
					failed = err
				}
			})
		}
		work.Wait()
		if failed != nil {
			return failed
		}
		wall := time.Since(began)
		b.time(name, c.name, took)
		b.quantity(name+": tasks a minute", c.name, "tasks/min", float64(b.tasks)/wall.Minutes())
		memory, err := pssBelow(c.dir)
		if err != nil {
			return err
		}
		b.quantity(name+": memory of all", c.name, "MB", memory)
		for i := range b.tasks {
			if _, err := c.do(ctx, fmt.Sprintf("task%d", i), closeSession, ""); err != nil {
				return err
			}
		}
	}
	return nil
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

// measureGrowth is our own: what a new session and a warm command take, and what
// memory each further session has, with more and more sessions alive.
func measureGrowth(ctx context.Context, b *bench, name string) error {
	c := b.contenderNamed(self)
	alive := 0
	defer func() {
		for i := range alive {
			_, _ = c.do(context.WithoutCancel(ctx), fmt.Sprintf("g%d", i), closeSession, "") // the run's end closes all
		}
	}()
	before, err := pssBelow(c.dir)
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
		for range b.rounds {
			one, err := c.do(ctx, "g0", getURL, b.site.url("/next"))
			if err != nil {
				return err
			}
			warm = append(warm, one)
		}
		memory, err := pssBelow(c.dir)
		if err != nil {
			return err
		}
		b.time(fmt.Sprintf("%s: new session, %d live", name, n), self, fresh[max(0, len(fresh)-10):])
		b.time(fmt.Sprintf("%s: get url, %d live", name, n), self, warm)
		b.quantity(fmt.Sprintf("%s: memory a session, %d live", name, n), self, "MB", (memory-before)/float64(n))
	}
	return nil
}
