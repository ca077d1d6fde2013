package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// verdict is an error that says why a test does not prove that it detects the removal of its guard.
// For example, the test passes without the guard.
type verdict string

func (v verdict) Error() string { return string(v) }

// bench runs tests, with or without a guard.
type bench struct {
	root     string // the root directory of the module
	temp     string // the temporary directory of the go command and of the tests
	limit    time.Duration
	baseline map[trial]error // results of checkBaseline
	output   string          // the output of the last go command
}

// moduleRoot returns the root directory of the module that contains the working directory.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("finding the module: %w", err)
	}
	file := strings.TrimSpace(string(out))
	if file == "" || file == os.DevNull {
		return "", errors.New("go.mod not found in the working directory or above")
	}
	return filepath.Dir(file), nil
}

// checkBaseline runs a test with all guards in place. It runs each test only once, even if several
// guards list it. If the test fails or does not exist, the error is a verdict.
func (b *bench) checkBaseline(ctx context.Context, t trial) error {
	if err, known := b.baseline[t]; known {
		return err
	}
	err := b.test(ctx, t, "")
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		err = verdict("fails with the guard, too")
	case strings.Contains(b.output, "[no tests to run]"), strings.Contains(b.output, "[no test files]"):
		err = verdict("test not found")
	}
	b.baseline[t] = err
	return err
}

// checkMutant runs a test without the guard g. It returns nil if the test fails, as it should. If
// the test passes or cannot be compiled, the error is a verdict. Any other error means that the run
// cannot continue.
func (b *bench) checkMutant(ctx context.Context, g guard, t trial) error {
	overlay, err := b.writeOverlay(g)
	if err != nil {
		return err
	}
	err = b.test(ctx, t, "-overlay="+overlay)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		return verdict("SURVIVES")
	case strings.Contains(b.output, "[build failed]"), strings.Contains(b.output, "[setup failed]"):
		return verdict("does not compile")
	}
	return nil
}

// writeOverlay writes two files: a copy of the guard's file without the guard, and an overlay. The
// overlay makes the go command read the copy in place of the original. writeOverlay returns the
// path of the overlay.
func (b *bench) writeOverlay(g guard) (string, error) {
	file := filepath.Join(b.root, g.file)
	text, err := os.ReadFile(file)
	if err != nil {
		return "", verdict("file not found")
	}
	mutant, found := g.mutate(string(text))
	if found != 1 {
		return "", verdict(fmt.Sprintf("code found %d times", found))
	}
	replacement, overlay := filepath.Join(b.temp, "mutant"), filepath.Join(b.temp, "overlay.json")
	raw, err := json.Marshal(map[string]any{"Replace": map[string]string{file: replacement}})
	return overlay, errors.Join(err, os.WriteFile(replacement, []byte(mutant), 0o600), os.WriteFile(overlay, raw, 0o600))
}

// test runs go test with the environment variable GOFLAGS set to goFlags, and returns nil if the
// test passes. If the test itself runs go commands, they get the same GOFLAGS. Afterwards it kills
// the processes that the test has left running.
func (b *bench) test(ctx context.Context, t trial, goFlags string) error {
	ctx, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	var out strings.Builder
	// vet is off because it reports conditions that are constant in a mutant.
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-vet=off", "-timeout=0", "-run", t.pattern, t.pkg)
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.root, &out, &out
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS="+goFlags, "PWD="+b.root, "GOTMPDIR="+b.temp, "TMPDIR="+b.temp)
	setProcessGroup(cmd)
	cmd.WaitDelay = 5 * time.Second // a process that outlives the test may keep the output open
	cmd.Cancel = func() error { return killTree(cmd.Process.Pid) }
	err := cmd.Run()
	b.output = out.String()
	return errors.Join(err, killOrphans())
}

// firstFailure returns the name of the first test that failed in the last go command. If no test
// reported a failure, it returns the line of the output that says how the run ended, such as a
// panic. If there is no such line, it returns a fixed text.
func (b *bench) firstFailure() string {
	if found := regexp.MustCompile(`--- FAIL: (\S+)`).FindStringSubmatch(b.output); found != nil {
		return found[1]
	}
	if found := regexp.MustCompile(`(?m)^(panic|fatal error|left [a-z ]*): .*`).FindString(b.output); found != "" {
		return found
	}
	return "time limit, or no message"
}
