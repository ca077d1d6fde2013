//go:build linux

package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// These variables hand what Main has prepared to the tests, in place of globals.
const (
	EnvBinary = "ABROWSER_E2E_BINARY" // the built command
	envRaced  = "ABROWSER_E2E_RACED"  // the same, with the race detector where the tests have it
	EnvDriver = "ABROWSER_E2E_DRIVER" // a driver directory, for ABROWSER_DRIVER_PATH
	envNotes  = "ABROWSER_E2E_NOTES"  // a file: see [Home.note]
)

// Main prepares what the tests of a package need, runs them, and checks what they leave. It
// returns the exit status, which is 1 also if something is left.
func Main(m *testing.M) int {
	// Those that run side by side wait more than they work.
	if err := flag.Set("test.parallel", "3"); err != nil {
		return complain(err)
	}
	flag.Parse()
	before := outside()
	work, err := os.MkdirTemp("/tmp", OwnPrefix())
	if err != nil {
		return complain(err)
	}
	err = prepare(work)
	status := 1
	if err == nil {
		status = m.Run()
	}
	notes, _ := os.ReadFile(filepath.Join(work, "notes")) // none where no browser ran
	// Only now: what ends by itself a moment after its home was given up.
	awaitOwnEnd(leftDeadline)
	sockets, _ := filepath.Glob(filepath.Join("/tmp", OwnPrefix()+"*", "r", "run", "*", "*.sock"))
	for _, socket := range sockets {
		status = 1
		fmt.Fprintln(os.Stderr, "left after the run:", socket)
	}
	homes, _ := filepath.Glob(filepath.Join("/tmp", OwnPrefix()+"*")) // the pattern is ours
	for _, dir := range homes {
		if removed := os.RemoveAll(dir); err == nil {
			err = removed
		}
	}
	if left := before.left(leftDeadline, string(notes)); len(left) > 0 {
		status = 1
		for _, what := range left {
			fmt.Fprintln(os.Stderr, "left after the run:", what)
		}
	}
	if err != nil {
		return complain(err)
	}
	return status
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, "preparing the tests:", err)
	return 1
}

// prepare builds the command and has it install the missing parts. Every other home of the run
// uses the same driver.
func prepare(work string) error {
	binary := filepath.Join(work, "abrowser")
	if err := buildBoth(binary); err != nil {
		return err
	}
	raced := binary
	if RaceDetector {
		raced = filepath.Join(work, "race", "abrowser")
		if err := buildBoth(raced, "-race"); err != nil {
			return err
		}
	}
	if err := os.Setenv(envRaced, raced); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	h := &Home{Binary: binary, Outer: work, Dir: filepath.Join(work, "r")}
	if err := os.Mkdir(filepath.Join(work, "h"), 0o700); err != nil {
		return err
	}
	if r := h.Command(ctx, "", "install"); r.Status != wire.ExitDone {
		return fmt.Errorf("abrowser install: %s", r)
	}
	driver, err := filepath.Glob(filepath.Join(h.Dir, "driver", "[0-9]*"))
	if err != nil || len(driver) != 1 {
		return fmt.Errorf("abrowser install left the drivers %q (%w)", driver, err)
	}
	provideScreens(ctx)
	if err := os.Setenv(EnvDriver, driver[0]); err != nil {
		return err
	}
	if err := os.Setenv(envNotes, filepath.Join(work, "notes")); err != nil {
		return err
	}
	return os.Setenv(EnvBinary, binary)
}

// buildBoth builds the two programs that are installed, as `just build` does: the thin
// command line, which is what tests run, and the full program beside it.
func buildBoth(thin string, flags ...string) error {
	if err := goBuild(thin, "cmd/thin", flags...); err != nil {
		return err
	}
	return goBuild(thin+"d", "cmd/abrowser", flags...)
}

// Build builds the full program, which needs no thin one. A mark makes it another build of
// the same source.
func Build(binary, mark string) error {
	var flags []string
	if mark != "" {
		flags = []string{"-ldflags=-X main.mark=" + mark}
	}
	return goBuild(binary, "cmd/abrowser", flags...)
}

func goBuild(binary, command string, flags ...string) error {
	args := append([]string{"build", "-o", binary}, flags...)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append(args, "github.com/abrowser/abrowser/"+command)...)
	if !slices.Contains(flags, "-race") { // which needs cgo; `just build` does without
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
