package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// verdict is why a guard is not shown to be tested.
type verdict string

func (v verdict) Error() string { return string(v) }

// bench is where guards are taken out: a copy of the tree.
type bench struct {
	tree  string
	temp  string        // for what go and the tests keep for a while; a short path, sockets are in it
	limit time.Duration // of one go test
	sound map[trial]error
	last  string // what the last go command printed
}

// build compiles the copy: the tests start what it makes, and a mutant that does not
// compile would look like one that they noticed.
func (b *bench) build(ctx context.Context) error {
	if err := b.run(ctx, "build", "./..."); err != nil {
		return errors.Join(ctx.Err(), verdict("does not compile"))
	}
	return nil
}

// test runs a trial and returns nil when it passed, why not otherwise.
func (b *bench) test(ctx context.Context, t trial) error {
	ctx, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	// No vet: a mutant may look odd.
	return b.run(ctx, "test", "-count=1", "-vet=off", "-timeout=0", "-run", t.pattern, t.pkg)
}

// passes reports with a verdict when a trial does not pass, or tests nothing, in a
// tree with all its guards. It asks once.
func (b *bench) passes(ctx context.Context, t trial) error {
	if err, known := b.sound[t]; known {
		return err
	}
	err := b.test(ctx, t)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		err = verdict("fails with the guard, too")
	case strings.Contains(b.last, "[no tests to run]"), strings.Contains(b.last, "[no test files]"):
		err = verdict("no such test")
	}
	b.sound[t] = err
	return err
}

// fails runs a trial in a tree without its guard. It returns nil when the trial
// failed, as it should.
func (b *bench) fails(ctx context.Context, t trial) error {
	err := b.test(ctx, t)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		return verdict("SURVIVES")
	case strings.Contains(b.last, "[build failed]"), strings.Contains(b.last, "[setup failed]"):
		return verdict("does not compile")
	}
	return nil
}

// firstFailure names the test that failed first, or says that time was up.
func (b *bench) firstFailure() string {
	if found := regexp.MustCompile(`--- FAIL: (\S+)`).FindStringSubmatch(b.last); found != nil {
		return found[1]
	}
	if found := regexp.MustCompile(`(?m)^(panic|fatal error|left [a-z ]*): .*`).FindString(b.last); found != "" {
		return found
	}
	return "no end, or nothing said"
}

// run runs the go command in the copy and ends whatever it leaves running.
func (b *bench) run(ctx context.Context, args ...string) error {
	var out strings.Builder
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.tree, &out, &out
	// The root's own: a workspace or flags of the caller's would not fit the copy.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "PWD="+b.tree, "GOTMPDIR="+b.temp, "TMPDIR="+b.temp)
	ownGroup(cmd)
	cmd.WaitDelay = 5 * time.Second // daemons may hold the output
	cmd.Cancel = func() error { return endBelow(cmd.Process.Pid) }
	err := cmd.Run()
	b.last = out.String()
	return errors.Join(err, endLeft())
}
