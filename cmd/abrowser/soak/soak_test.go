//go:build linux

// Package soak_test runs commands for elements that become ready at random moments, and compares
// each answer with what the page recorded.
//
// Each session works through pages that a planner makes. A page has cases. A case is one element
// and the commands, or steps, that are run for the element until one of them succeeds. The kind of
// a case says how its element becomes ready. The test arms a case, which means that it orders the
// page to build the element, and then the case begins. The page records its events and reports
// them to the test's web server, the site. A framed page has a frame of another origin, and that
// frame has a frame of a third origin. The roles top, far and deep name the page and the two
// frames.
package soak_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

// soak is a run of TestSoak.
type soak struct {
	t       *testing.T
	h       *e2e.Home
	seed    uint64
	end     time.Time
	most    int // the run ends after this many cases; 0 means no limit
	kills   bool
	stalls  bool
	runners []*runner
	table
}

// Elements become ready at random moments, and commands for them end just before, at and after
// these moments. Every answer must be true. The page counts the effects of each command: exactly
// one for success, none for failure, and at most one for result_unknown.
func TestSoak(t *testing.T) {
	s := &soak{
		t: t, h: e2e.NewHome(t), seed: flagged[uint64]("soak.seed"), most: flagged[int]("soak.cases"),
		kills: flagged[bool]("soak.kills"), stalls: flagged[bool]("soak.stalls"),
	}
	if s.seed == 0 {
		s.seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	t.Logf("seed %d", s.seed)
	for i := range flagged[int]("soak.sessions") {
		r := &runner{soak: s, session: fmt.Sprintf("soak-%d", i), site: startSite(t), plan: newPlanner(s.seed, i, flagged[string]("soak.kinds"))}
		s.runners = append(s.runners, r)
		s.h.Text(t, r.session, "open", "about:blank")
	}
	for range flagged[int]("soak.busy") {
		keepBusy(t)
	}
	s.end = time.Now().Add(flagged[time.Duration]("soak.for"))
	var work, faults sync.WaitGroup
	for _, r := range s.runners {
		work.Go(r.work)
	}
	over := make(chan struct{})
	if s.kills {
		faults.Go(func() { s.kill(over) })
	}
	if s.stalls {
		faults.Go(func() { s.stall(over) })
	}
	work.Wait()
	close(over)
	faults.Wait()
	s.report()
}

// isDisturbed reports whether processes are killed or stopped during the run. Every answer must be
// true in such a run, too, but how many commands succeed depends on the faults.
func (s *soak) isDisturbed() bool { return s.kills || s.stalls }

// isOver reports whether the run is over. No further case begins when it is.
func (s *soak) isOver() bool {
	return time.Now().After(s.end) || s.most > 0 && s.cases() >= s.most
}

// note logs a message with the time.
func (s *soak) note(format string, args ...any) {
	s.t.Logf("%s %s", time.Now().UTC().Format("15:04:05.000"), fmt.Sprintf(format, args...))
}

// abandon counts and logs a page that does not begin the case c. The caller does not run the
// page's later cases.
func (s *soak) abandon(page plannedPage, c *plannedCase) {
	s.lost()
	s.note("page %s does not begin case %s", page.Name, c.Spec.ID)
}

func (s *soak) readLog(name string) string {
	raw, err := os.ReadFile(filepath.Join(s.h.Dir, "log", name))
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// describe returns the details that a person needs to understand a case and to run it again.
func (s *soak) describe(r *runner, one ran, records []record) string {
	var b strings.Builder
	plan, err := json.Marshal(one.c)
	if err != nil {
		panic(err) // strings and numbers can be marshaled
	}
	fmt.Fprintf(&b, "seed %d, session %s, kind %s, action %s\nplan: %s\n", s.seed, r.session, one.c.Kind, one.c.Spec.Action, plan)
	if len(one.commands) == 0 {
		return b.String()
	}
	zero := one.commands[0].Start
	for i, cmd := range one.commands {
		fmt.Fprintf(&b, "command %d: %d ms to %d ms, timeout %v %s: abrowser %s\n   exit %d, %s\n", i, cmd.Start.Sub(zero).Milliseconds(), cmd.End.Sub(zero).Milliseconds(),
			cmd.Timeout, cmd.Killed, strings.Join(cmd.Args, " "), cmd.Result.Status, strings.TrimSpace(cmd.Result.Stdout+cmd.Result.Stderr))
	}
	last := one.commands[len(one.commands)-1].End
	from, to := milliseconds(zero)-1000, milliseconds(last)+3000
	b.WriteString("the page's events, in ms after the first command:\n")
	for _, record := range records {
		if record.At < from || record.At > to || record.On != one.c.Spec.ID && !isNear(record) {
			continue
		}
		trusted := ""
		if !record.Trusted {
			trusted = " (untrusted)"
		}
		fmt.Fprintf(&b, "   %.1f %s on %s, %s %q%s\n", record.At-milliseconds(zero), record.Type, record.On, record.Level, record.Value, trusted)
	}
	fmt.Fprintf(&b, "the daemon's log:\n%s", r.logged(zero.Add(-500*time.Millisecond), last.Add(time.Second)))
	return b.String()
}

// isNear reports whether describe prints the record r even if r is not about the case's element.
// It prints the page's own activity, and all presses of keys and mouse buttons.
func isNear(r record) bool {
	return slices.Contains([]string{"begins", "leaves", "spins", "spun", "asks", "asked"}, r.Type) || isPress(r.Type)
}

// keepBusy runs a busy loop in another process of this program until the test ends.
func keepBusy(t *testing.T) {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	loop := exec.CommandContext(t.Context(), own, "-test.run=^$")
	loop.Env = append(os.Environ(), envBusy+"=1", "GOMAXPROCS=1")
	stdin, err := loop.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = loop.Wait() // the end of the test's context has killed it
	})
}
