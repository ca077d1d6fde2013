//go:build linux

package main_test

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

// The tests of this package run the built command as a person or a task manager
// would, and look at what it does from outside: by /proc, the file system and the
// pages' own reports. TestMain builds it once, fetches the driver once, and fails
// the run when anything is left that was not there before.
//
// What it found out travels to the tests by these variables, not by globals.
const (
	envBinary  = "ABROWSER_E2E_BINARY"  // the built command
	envRaced   = "ABROWSER_E2E_RACED"   // the same, with the race detector where the tests have it
	envDriver  = "ABROWSER_E2E_DRIVER"  // a driver directory, for ABROWSER_DRIVER_PATH
	envNotes   = "ABROWSER_E2E_NOTES"   // a file: see [home.note]
	envManager = "ABROWSER_E2E_MANAGER" // run as a task manager: see manage
	envDial    = "ABROWSER_E2E_DIAL"    // run as another user: see dialAsStranger
)

func TestMain(m *testing.M) {
	if os.Getenv(envManager) != "" {
		os.Exit(manage())
	}
	if socket := os.Getenv(envDial); socket != "" {
		os.Exit(dialAsStranger(socket))
	}
	flag.Bool("update", false, "rewrite what the transcripts and the README compare with")
	chaosFlags()
	// Those that run side by side wait more than they work.
	if err := flag.Set("test.parallel", "3"); err != nil {
		os.Exit(complain(err))
	}
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	before := outside()
	work, err := os.MkdirTemp("/tmp", ownPrefix())
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
	sockets, _ := filepath.Glob(filepath.Join("/tmp", ownPrefix()+"*", "r", "run", "*", "*.sock"))
	for _, socket := range sockets {
		status = 1
		fmt.Fprintln(os.Stderr, "left after the run:", socket)
	}
	homes, _ := filepath.Glob(filepath.Join("/tmp", ownPrefix()+"*")) // the pattern is ours
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

// prepare builds the command and has it fetch what a machine without any of it
// lacks. Every other home of the run uses that driver.
func prepare(work string) error {
	binary := filepath.Join(work, "abrowser")
	if err := build(binary, ""); err != nil {
		return err
	}
	raced := binary
	if raceDetector {
		raced = filepath.Join(work, "race", "abrowser")
		if err := build(raced, "", "-race"); err != nil {
			return err
		}
	}
	if err := os.Setenv(envRaced, raced); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	h := &home{binary: binary, outer: work, dir: filepath.Join(work, "r")}
	if err := os.Mkdir(filepath.Join(work, "h"), 0o700); err != nil {
		return err
	}
	if r := h.command(ctx, "", "install"); r.status != wire.ExitDone {
		return fmt.Errorf("abrowser install: %s", r)
	}
	driver, err := filepath.Glob(filepath.Join(h.dir, "driver", "[0-9]*"))
	if err != nil || len(driver) != 1 {
		return fmt.Errorf("abrowser install left the drivers %q (%w)", driver, err)
	}
	provideScreens(ctx)
	if err := os.Setenv(envDriver, driver[0]); err != nil {
		return err
	}
	if err := os.Setenv(envNotes, filepath.Join(work, "notes")); err != nil {
		return err
	}
	return os.Setenv(envBinary, binary)
}

// build makes the command. A mark makes it another build of the same source.
func build(binary, mark string, flags ...string) error {
	args := append([]string{"build", "-o", binary}, flags...)
	if mark != "" {
		args = append(args, "-ldflags=-X main.mark="+mark)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...)
	if !slices.Contains(flags, "-race") { // which needs cgo; `just build` does without
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
