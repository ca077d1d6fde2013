//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

// fault is a signal to one process. The function find chooses the process.
type fault struct {
	name string
	find func(c *chaos, r *rand.Rand) e2e.Process
	sig  syscall.Signal
}

// chaosFaults returns all faults. A fault kills a process or, if its name contains "frozen", stops
// it with SIGSTOP. A frozen broker or driver does not respond, so the product must replace it.
func chaosFaults() []fault {
	one := func(kind string) func(*chaos, *rand.Rand) e2e.Process {
		return func(c *chaos, r *rand.Rand) e2e.Process { return pickOne(r, c.h.Of(kind)) }
	}
	return []fault{
		{"daemon", one(e2e.KindDaemon), syscall.SIGKILL},
		{"driver", one(e2e.KindDriver), syscall.SIGKILL},
		{"broker", one(e2e.KindBroker), syscall.SIGKILL},
		{"keeper", one(e2e.KindKeeper), syscall.SIGKILL},
		{"browser", one(e2e.KindBrowser), syscall.SIGKILL},
		{"renderer", func(c *chaos, r *rand.Rand) e2e.Process { return pickOne(r, c.h.Renderers()) }, syscall.SIGKILL},
		{"frozen broker", one(e2e.KindBroker), syscall.SIGSTOP},
		{"frozen driver", one(e2e.KindDriver), syscall.SIGSTOP},
	}
}

func pickOne(r *rand.Rand, all []e2e.Process) e2e.Process {
	if len(all) == 0 {
		return e2e.Process{}
	}
	return all[r.IntN(len(all))]
}

// inject injects faults in rounds until the time limit is over. It completes the first round even
// if the limit is over earlier. In a round, it injects each of the faults that -chaos.faults
// names, or all faults if the flag is empty, once and in random order. Before each fault, inject
// pauses for up to 1 s. After the fault, it waits until all tasks have recovered.
func (c *chaos) inject(r *rand.Rand, limit time.Duration) {
	end := time.Now().Add(limit)
	for first := true; first || time.Now().Before(end); first = false {
		faults := chaosFaults()
		if chosen := flagged[string]("chaos.faults"); chosen != "" {
			faults = slices.DeleteFunc(faults, func(f fault) bool { return !slices.Contains(strings.Split(chosen, ","), f.name) })
		}
		r.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
		for _, f := range faults {
			if !first && !time.Now().Before(end) {
				return
			}
			// The pause is random, so that faults occur at any moment of a command.
			time.Sleep(time.Duration(r.IntN(1000)) * time.Millisecond)
			c.do(f, r)
		}
	}
}

// do injects a fault and waits until all tasks have recovered from it.
func (c *chaos) do(f fault, r *rand.Rand) {
	victim := f.find(c, r)
	if victim.PID == 0 {
		return // no such process runs: it was killed earlier, and no command has needed one since
	}
	n := c.faults.Add(1)
	switch f.name {
	case "browser":
		c.restarts.Add(1)
	case "renderer":
		c.killed.Add(1)
	}
	done := make([]int64, len(c.tasks))
	for i, task := range c.tasks {
		done[i] = task.done.Load()
	}
	c.mu.Lock()
	c.names = append(c.names, f.name)
	c.mu.Unlock()
	began := time.Now()
	if err := syscall.Kill(victim.PID, f.sig); err != nil {
		c.t.Logf("fault %d, %s: %v", n, f.name, err) // the process has just ended by itself
	}
	over := e2e.Await(recoveryTime, func() bool {
		for i, task := range c.tasks {
			// The first command that ends after the fault may have begun before the fault, but the
			// second one has begun after the fault.
			if task.done.Load() < done[i]+2 {
				return false
			}
		}
		return true
	})
	if !over {
		c.see(&c.counts.hangs, "%s (%s): a task has completed no command within %s", f.name, victim, recoveryTime)
	}
	if f.sig == syscall.SIGSTOP && !e2e.Await(recoveryTime, func() bool { return !victim.Alive() }) {
		c.see(&c.counts.hangs, "%s: %s was never replaced", f.name, victim)
		_ = syscall.Kill(victim.PID, syscall.SIGCONT)
	}
	// Wait for a keeper before the next fault, because only a keeper replaces a frozen broker.
	if !e2e.Await(recoveryTime, func() bool { return len(c.h.Of(e2e.KindKeeper)) == 1 }) {
		c.see(&c.counts.hangs, "%s: the keepers are %v, want one", f.name, c.h.Of(e2e.KindKeeper))
	}
	c.t.Logf("fault %d, %s: all tasks recovered in %s", n, f.name, time.Since(began).Round(time.Millisecond))
	for _, kind := range []string{e2e.KindKeeper, e2e.KindBroker, e2e.KindBrowser} {
		if now := c.h.Of(kind); len(now) > 1 {
			c.see(&c.counts.wrongPages, "%d processes of kind %s run: %v", len(now), kind, now)
		}
	}
}

// descriptors returns the number of open files for each kind of long-lived process. If several
// processes of a kind run, it is the highest number among them.
func (c *chaos) descriptors() map[string]int {
	n := map[string]int{}
	for _, kind := range []string{e2e.KindKeeper, e2e.KindBroker, e2e.KindDaemon, e2e.KindDriver} {
		for _, p := range c.h.Of(kind) {
			open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.PID))
			n[kind] = max(n[kind], len(open))
		}
	}
	return n
}

// listening returns the number of Unix sockets that are open at a path in the home, plus the
// number of socket files in the home's run directory.
func (c *chaos) listening() int {
	table, _ := os.ReadFile("/proc/net/unix")
	n := strings.Count(string(table), c.h.Dir+"/")
	files, _ := filepath.Glob(filepath.Join(c.h.Dir, "run/*/*.sock"))
	return n + len(files)
}
