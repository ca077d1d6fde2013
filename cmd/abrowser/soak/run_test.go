//go:build linux

package soak_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/sockets/wire"
)

// runner is one session that works through the pages of its plan.
type runner struct {
	*soak
	session string
	site    *site
	plan    *planner
	lag     time.Duration // average from timeout to end of a command; only work's goroutine uses it

	mu      sync.Mutex // guards the fields below
	running int        // pid of the running command, 0 if none runs
	killed  string     // the signal that the test sent to the running command
}

// settleTime is how long a page is watched after its last case, because a command may have an
// effect after its answer. Late effects of earlier cases show while the later cases run.
const settleTime = 2500 * time.Millisecond

// ran is a case that was run, with its commands.
type ran struct {
	c        *plannedCase
	began    time.Time
	commands []command
}

// work runs pages until the soak is over.
func (r *runner) work() {
	for !r.isOver() {
		r.runPage(r.plan.next())
	}
}

func (r *runner) runPage(page plannedPage) {
	var first *plannedCase
	if page.Cases[0].First {
		first = page.Cases[0]
	}
	r.site.take()
	opened := r.run(step{IsLong: true, Long: 20000}, "open", r.site.url(page.Name, page.Framed, first))
	if !opened.Success {
		r.note("a page did not open: %s", opened.Result)
		return
	}
	roles := []string{roleTop}
	if page.Framed {
		roles = append(roles, roleFar, roleDeep)
	}
	var epochs map[string]string
	var all []ran
	for _, c := range page.Cases {
		if r.isOver() {
			break
		}
		began := time.Now()
		armed, ok := r.site.arm(c.Role, c, armTime)
		if !ok {
			r.abandon(page, c)
			break
		}
		if epochs == nil {
			epochs = r.site.epochs()
		}
		one := ran{c: c, began: began, commands: r.runCase(c, armed)}
		all = append(all, one)
	}
	time.Sleep(settleTime) // late effects come during this time
	complete := r.site.flush(page.Name, roles, flushTime)
	if !complete { // a new document in the tab reports the records that the old one did not report
		r.run(step{IsLong: true, Long: 20000}, "open", r.site.url(page.Name, page.Framed, nil))
		complete = r.site.flush(page.Name, roles, flushTime)
	}
	now := r.site.epochs()
	for role, epoch := range now {
		complete = complete && (epochs[role] == "" || epochs[role] == epoch)
	}
	if !complete {
		r.note("page %s: not all of its records have come: journals %v, then %v, flushed %v", page.Name, epochs, now, r.site.flushed(page.Name))
	}
	records := r.site.take()
	for i, one := range all {
		over := time.Now()
		if i+1 < len(all) {
			over = all[i+1].began
		}
		r.tally(r, one, over, records, complete)
	}
}

const (
	armTime   = 10 * time.Second
	flushTime = 10 * time.Second
	mostLag   = 500 * time.Millisecond // in the average runner.lag, a longer lag counts as this
)

// runCase runs the commands of a case until one succeeds. It returns the commands that it ran.
func (r *runner) runCase(c *plannedCase, armed record) []command {
	ready := time.UnixMilli(int64(armed.At) + int64(c.Spec.Ready))
	selector, act := "#"+c.Spec.ID, actionOf(c.Spec.Action)
	if c.Role != roleTop {
		ref, err := r.ref(c.Spec.ID)
		if err != nil {
			r.note("%s has no ref: %v", c.Spec.ID, err)
			return nil
		}
		selector = ref
	}
	var all []command
	for _, s := range c.Steps {
		// A command that times out ends later than its timeout, by r.lag on average. About half of
		// this delay passes before the command starts its timer. So the timeout is calculated as if
		// the element became ready r.lag/2 earlier.
		cmd := r.run(s.at(ready.Add(-r.lag/2)), act.command(selector, s)...)
		cmd.Step, cmd.Selector = s, selector
		if cmd.Code == wire.CodeTimeout && cmd.Killed == "" && s.hasTimeout() {
			late := cmd.End.Sub(cmd.Start) - cmd.Timeout
			r.lag += (min(max(late, 0), mostLag) - r.lag) / 8
		}
		all = append(all, cmd)
		if cmd.Success {
			break
		}
		if cmd.Code == wire.CodeStaleRef { // a kill has ended the connection to the page
			if ref, err := r.ref(c.Spec.ID); err == nil {
				selector = ref
			}
		}
	}
	// Wait until the page has done everything that the case plans, so that it does not disturb the
	// next case.
	r.site.await(time.Until(ready)+5*time.Second, func() bool {
		return !slices.ContainsFunc(c.ends(), func(kind string) bool { _, ok := r.site.find(kind, c.Spec.ID); return !ok })
	})
	return all
}

// ends returns the types of the records that the page writes when it has done everything that the
// case plans.
func (c *plannedCase) ends() []string {
	all := []string{"ready"}
	if c.Spec.Spin > 0 {
		all = append(all, "spun")
	}
	if c.Spec.Alert > 0 {
		all = append(all, "asked")
	}
	return all
}

// at returns a copy of the step with IsLong set. If the step's timeout depends on the time at
// which the element becomes ready, at calculates the timeout for the given time and stores it in
// Long.
func (s step) at(ready time.Time) step {
	s.Long, s.IsLong = s.timeout(ready), true
	return s
}

// stillTime is how long after the last change of the page the product waits for an element, if the
// command has no timeout.
const stillTime = 3 * time.Second

// run runs a command with the timeout s.Long, and returns it with its answer. If s.Long is 0, the
// command has no timeout.
func (r *runner) run(s step, args ...string) command {
	timeout := stillTime // the product may wait longer
	if s.Long > 0 {
		timeout = time.Duration(s.Long) * time.Millisecond
		args = append(args, "--timeout", strconv.Itoa(s.Long))
	}
	args = append([]string{"--json"}, args...)
	h := *r.h
	if s.Full {
		h.Binary += "d"
	}
	ctx, cancel := context.WithTimeout(context.Background(), e2e.CommandDeadline)
	defer cancel()
	c := command{Args: args, Timeout: timeout, Start: time.Now()}
	running, err := e2e.Start(h.Prepared(ctx, r.session, args...), args)
	if err != nil {
		c.Result = e2e.Result{Status: -1, Err: err}
		return c
	}
	r.setRunning(running.PID)
	c.Result = <-running.Ended
	c.Killed = r.setRunning(0)
	c.End = time.Now()
	var answer e2e.Envelope
	if err := json.Unmarshal([]byte(c.Result.Stdout), &answer); err == nil {
		c.Answered, c.Success, c.Code = true, answer.Success, answer.Code
		if answer.Error != nil {
			c.Error = *answer.Error
		}
	}
	return c
}

// setRunning records the pid of the command that runs from now on, or 0 if none runs. It returns
// the signal that the test sent to the previous command, or an empty string.
func (r *runner) setRunning(pid int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	killed := r.killed
	r.running, r.killed = pid, ""
	return killed
}

// ref takes a snapshot and returns the ref of the element of the case with the given id, which may
// be in a frame.
func (r *runner) ref(id string) (string, error) {
	out, err := e2e.TryAsk[struct {
		Refs map[string]struct{ Name string }
	}](r.h, r.session, "snapshot", "-i")
	if err != nil {
		return "", err
	}
	for ref, element := range out.Refs {
		if element.Name == "soak "+id {
			return ref, nil
		}
	}
	return "", fmt.Errorf("not in the snapshot: %v", out.Refs)
}

// logged returns the lines of the session's log between two moments.
func (r *runner) logged(from, to time.Time) string {
	raw := r.readLog(r.session + ".log")
	lines := slices.DeleteFunc(strings.Split(raw, "\n"), func(line string) bool {
		var entry struct{ Time time.Time }
		return json.Unmarshal([]byte(line), &entry) != nil || entry.Time.Before(from) || entry.Time.After(to)
	})
	return strings.Join(lines, "\n")
}
