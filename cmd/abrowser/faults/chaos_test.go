//go:build linux

package faults_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// chaosFlags defines what TestChaos takes; `just chaos` gives it.
func chaosFlags() {
	flag.Duration("chaos.for", 0, "how long TestChaos goes on; 0 is one round of faults")
	flag.Int("cycles", 200, "tabs that TestCyclesLeaveNothing opens; of sessions a tenth")
	flag.Int("chaos.tasks", 3, "tasks of TestChaos")
	flag.String("chaos.faults", "keeper,frozen broker,driver,browser,daemon,broker", "the faults of TestChaos, separated by commas; empty is all")
	flag.String("chaos.logs", "", "where TestChaos leaves the logs; empty is nowhere")
	flag.Uint64("chaos.seed", 6, "seed of TestChaos; 0 is a new one, which it prints")
}

func flagged[T any](name string) T {
	v, _ := flag.Lookup(name).Value.(flag.Getter).Get().(T)
	return v
}

// recoveryTime is how long every task may take to get one command done after a
// fault: the slowest, a frozen broker, is replaced after 5 s.
const recoveryTime = 60 * time.Second

// chaos is a run: tasks that work, one fault after the other, and what was seen.
type chaos struct {
	t     *testing.T
	h     *e2e.Home
	s     *site.Site
	tasks []*chaosTask
	// faults counts those that were begun. A task's failure is excused by each once.
	faults atomic.Int64
	// restarts counts kills of the browser, which take what pages held.
	restarts atomic.Int64
	// killed counts kills of renderers.
	killed atomic.Int64

	mu     sync.Mutex // guards the fields below
	names  []string   // of the faults
	counts chaosCounts
	said   []string
}

// chaosCounts is the table's last line.
type chaosCounts struct {
	commands, failedOnce                   int
	wrongCodes, failedAgain                int
	lostTabs, lostContents, wrongPages     int
	hangs, processes, descriptors, sockets int
}

// Several tasks work, each step of theirs is checked, while one process after the
// other is killed or stopped. A command fails once for a fault at most, with a code
// that says why; no tab is lost, no task sees another's page, nothing stays behind.
func TestChaos(t *testing.T) {
	seed := flagged[uint64]("chaos.seed")
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	t.Logf("seed %d", seed)
	c := &chaos{t: t, h: e2e.NewRacedHome(t), s: site.Start(t)}
	c.login()
	for i := range flagged[int]("chaos.tasks") {
		c.tasks = append(c.tasks, newChaosTask(c, i, seed))
	}
	before := c.descriptors()
	stop := make(chan struct{})
	var work sync.WaitGroup
	for _, task := range c.tasks {
		work.Go(func() { task.work(stop) })
	}
	c.inject(rand.New(rand.NewPCG(seed, 0)), flagged[time.Duration]("chaos.for"))
	close(stop)
	work.Wait()
	for _, task := range c.tasks {
		task.last()
	}
	c.leaks(before)
	c.report(seed)
	if to := flagged[string]("chaos.logs"); to != "" {
		if err := os.CopyFS(to, os.DirFS(filepath.Join(c.h.Dir, "log"))); err != nil {
			t.Error(err)
		}
	}
}

// login logs in, for all tasks.
func (c *chaos) login() {
	c.h.Text(c.t, "task-0", "open", c.s.URL("/login"))
	c.h.Text(c.t, "task-0", "fill", "#user", "ada")
	c.h.Text(c.t, "task-0", "click", "#in")
	c.h.Text(c.t, "task-0", "wait", "#who")
}

// see counts something and keeps what was said of it.
func (c *chaos) see(what *int, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*what++
	said := fmt.Sprintf("%s after fault %d: %s", time.Now().UTC().Format("15:04:05.0"), c.faults.Load(), fmt.Sprintf(format, args...))
	c.said = append(c.said, said)
	c.t.Log(said)
}

// report prints the table, and fails the test for what must not be.
func (c *chaos) report(seed uint64) {
	n := c.counts
	c.t.Logf("seed %d, %d tasks, faults: %s", seed, len(c.tasks), strings.Join(c.names, ", "))
	c.t.Logf("faults %d, commands %d, failed once %d, wrong codes %d, failed again %d, lost tabs %d, lost contents %d, wrong pages %d, hangs %d, "+
		"leaked processes %d, descriptors %d, sockets %d",
		len(c.names), n.commands, n.failedOnce, n.wrongCodes, n.failedAgain, n.lostTabs, n.lostContents, n.wrongPages, n.hangs,
		n.processes, n.descriptors, n.sockets)
	n.commands, n.failedOnce = 0, 0
	if n != (chaosCounts{}) {
		c.t.Errorf("what must not be (-chaos.seed=%d):\n%s", seed, strings.Join(c.said, "\n"))
	}
	if c.counts.commands < 5*len(c.tasks) {
		c.t.Errorf("only %d commands were run", c.counts.commands)
	}
}

// leaks ends everything and counts what stays.
func (c *chaos) leaks(before map[string]int) {
	const spare = 8
	more := func() []string {
		c.counts.descriptors = 0
		var said []string
		for kind, n := range c.descriptors() {
			if extra := n - before[kind]; before[kind] > 0 && extra > spare {
				c.counts.descriptors += extra
				said = append(said, fmt.Sprintf("%s has %d descriptors, and had %d", kind, n, before[kind]))
			}
		}
		return said
	}
	// What playwright-go had of a driver that died, the collector closes: when a daemon
	// has rested for a while at the latest.
	e2e.Await(30*time.Second, func() bool { return len(more()) == 0 })
	c.said = append(c.said, more()...)
	c.h.Text(c.t, "", "close", "--all", "--force")
	c.h.Text(c.t, "", "browser", "stop")
	// A shared driver stays for a moment.
	e2e.Await(30*time.Second, func() bool { return len(c.h.Running()) == 0 && c.listening() == 0 })
	for _, p := range c.h.Running() {
		c.see(&c.counts.processes, "still running: %s", p)
	}
	c.counts.sockets = c.listening()
}
