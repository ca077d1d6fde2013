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

// chaosFlags defines the flags of TestChaos and TestCyclesLeaveNothing. `just chaos` sets them.
func chaosFlags() {
	flag.Duration("chaos.for", 0, "how long TestChaos goes on; 0 is one round of faults")
	flag.Int("cycles", 100, "tabs that TestCyclesLeaveNothing opens; of sessions a tenth")
	flag.Int("chaos.tasks", 3, "tasks of TestChaos")
	flag.String("chaos.faults", "keeper,frozen broker,driver,browser,daemon,broker", "the faults of TestChaos, separated by commas; empty is all")
	flag.String("chaos.logs", "", "where TestChaos leaves the logs; empty is nowhere")
	flag.Uint64("chaos.seed", 6, "seed of TestChaos; 0 is a new one, which it prints")
}

// flagged returns the value of a flag.
func flagged[T any](name string) T {
	v, _ := flag.Lookup(name).Value.(flag.Getter).Get().(T)
	return v
}

// recoveryTime is how long it may take after a fault until every task has completed a command that
// began after the fault. The slowest fault is a frozen broker, which is replaced only after 5 s.
const recoveryTime = 60 * time.Second

// chaos is a run of TestChaos: the tasks, the faults so far, and the errors that were found.
type chaos struct {
	t     *testing.T
	h     *e2e.Home
	s     *site.Site
	tasks []*chaosTask
	// faults counts the injected faults. Each excuses one failed command of each task.
	faults atomic.Int64
	// restarts counts the kills of the browser. Each kill loses the contents of all pages.
	restarts atomic.Int64
	// killed counts the kills of renderers.
	killed atomic.Int64

	mu     sync.Mutex // guards the fields below
	names  []string   // the names of the injected faults, in order
	counts chaosCounts
	said   []string
}

// chaosCounts are the counts that report prints. All except commands and failedOnce count errors.
type chaosCounts struct {
	commands, failedOnce                   int
	wrongCodes, failedAgain                int
	lostTabs, lostContents, wrongPages     int
	hangs, processes, descriptors, sockets int
}

// Several tasks work while one process after another is killed or frozen. After a fault, at most
// one command of each task fails, with a code that says why. No tab is lost, no task sees another
// task's page, and no process, socket or descriptor is left at the end.
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

// login logs in to the site. All tasks share the login, since they share the browser's profile.
func (c *chaos) login() {
	c.h.Text(c.t, "task-0", "open", c.s.URL("/login"))
	c.h.Text(c.t, "task-0", "fill", "#user", "ada")
	c.h.Text(c.t, "task-0", "click", "#in")
	c.h.Text(c.t, "task-0", "wait", "#who")
}

// see increments a counter, which is one of c.counts. It also records the message and logs it.
func (c *chaos) see(counter *int, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*counter++
	said := fmt.Sprintf("%s after fault %d: %s", time.Now().UTC().Format("15:04:05.0"), c.faults.Load(), fmt.Sprintf(format, args...))
	c.said = append(c.said, said)
	c.t.Log(said)
}

// report logs the counts. It fails the test if an error was counted or the tasks ran too few
// commands.
func (c *chaos) report(seed uint64) {
	n := c.counts
	c.t.Logf("seed %d, %d tasks, faults: %s", seed, len(c.tasks), strings.Join(c.names, ", "))
	c.t.Logf("faults %d, commands %d, failed once %d, wrong codes %d, failed again %d, lost tabs %d, lost contents %d, wrong pages %d, hangs %d, "+
		"leaked processes %d, descriptors %d, sockets %d",
		len(c.names), n.commands, n.failedOnce, n.wrongCodes, n.failedAgain, n.lostTabs, n.lostContents, n.wrongPages, n.hangs,
		n.processes, n.descriptors, n.sockets)
	n.commands, n.failedOnce = 0, 0
	if n != (chaosCounts{}) {
		c.t.Errorf("errors (-chaos.seed=%d):\n%s", seed, strings.Join(c.said, "\n"))
	}
	if c.counts.commands < 5*len(c.tasks) {
		c.t.Errorf("only %d commands were run", c.counts.commands)
	}
}

// leaks checks that the processes have not opened many more files than at the start. The map before
// has the number of open files at the start, by kind of process. If a kind has over 8 additional
// files now, leaks counts each additional file as an error. Then leaks stops all processes, and
// counts the processes and sockets that are left.
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
	// When a driver has died, playwright-go does not close the files that connected the daemon to
	// the driver. Go's garbage collector closes them. A daemon that has run no command for some
	// seconds runs the collector.
	e2e.Await(30*time.Second, func() bool { return len(more()) == 0 })
	c.said = append(c.said, more()...)
	c.h.Text(c.t, "", "close", "--all", "--force")
	c.h.Text(c.t, "", "browser", "stop")
	// A shared driver keeps running for some seconds after its last session.
	e2e.Await(30*time.Second, func() bool { return len(c.h.Running()) == 0 && c.listening() == 0 })
	for _, p := range c.h.Running() {
		c.see(&c.counts.processes, "still running: %s", p)
	}
	c.counts.sockets = c.listening()
}
