//go:build linux

package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/launcher/install/installtest"
)

// Main sets these environment variables to what it has prepared. The tests read them, so the
// package needs no global variables.
const (
	EnvBinary = "ABROWSER_E2E_BINARY" // the built command
	envRaced  = "ABROWSER_E2E_RACED"  // the same, with the race detector if the tests use it
	EnvDriver = "ABROWSER_E2E_DRIVER" // a driver directory, for ABROWSER_DRIVER_PATH
	envNotes  = "ABROWSER_E2E_NOTES"  // the file that [Home.note] writes
	envModule = "ABROWSER_E2E_MODULE" // the module's directory
)

// Main builds and installs abrowser, runs the tests of a package, and checks that no process,
// socket or file is left. It returns the exit status, which is 1 if something is left.
func Main(m *testing.M) int {
	// Run up to 4 parallel tests at a time on any machine, because they wait more than they
	// compute.
	if err := flag.Set("test.parallel", "4"); err != nil {
		return complain(err)
	}
	flag.Parse()
	heedSignals()
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
	notes, _ := os.ReadFile(filepath.Join(work, "notes")) // missing if no test has created a home
	// A driver that sessions share ends by itself, a moment after its home was cleaned up.
	awaitOwnEnd(leftDeadline)
	sockets, _ := filepath.Glob(filepath.Join("/tmp", OwnPrefix()+"*", "r", "run", "*", "*.sock"))
	for _, socket := range sockets {
		status = 1
		fmt.Fprintln(os.Stderr, "left after the run:", socket)
	}
	homes, _ := filepath.Glob(filepath.Join("/tmp", OwnPrefix()+"*")) // the pattern is valid
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

// heedSignals makes the programs that the tests start heed SIGHUP and SIGINT as they do in a terminal.
// A process that nohup or a shell has started in the background may ignore these signals, and its
// children inherit that. If this process handles a signal, its children start with the default.
func heedSignals() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, "preparing the tests:", err)
	return 1
}

// prepare builds the command and installs the driver, which all homes of the run use. Other
// packages that run at the same time use the same driver.
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
	driver, err := installtest.Driver(ctx)
	if err != nil {
		return err
	}
	provideScreens(ctx)
	if err := os.Setenv(EnvDriver, driver); err != nil {
		return err
	}
	if err := os.Setenv(envNotes, filepath.Join(work, "notes")); err != nil {
		return err
	}
	root, err := installtest.Module(ctx)
	if err != nil {
		return err
	}
	if err := os.Setenv(envModule, root); err != nil {
		return err
	}
	return os.Setenv(EnvBinary, binary)
}

// buildBoth builds two programs, as `just build` does. The thin command line, which the tests run,
// is written to the path thin. The full program is written to the same path with a d appended.
func buildBoth(thin string, flags ...string) error {
	if err := goBuild(thin, "cmd/thin", flags...); err != nil {
		return err
	}
	return goBuild(thin+"d", "cmd/abrowser", flags...)
}

// Build builds the full program, which works without the thin command line, and gives a string
// variable of it another value. Programs in which main.mark differs count as different builds,
// although they have the same source.
func Build(binary, variable, value string) error {
	return goBuild(binary, "cmd/abrowser", "-ldflags=-X "+variable+"="+value)
}

func goBuild(binary, command string, flags ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	return installtest.Build(ctx, binary, command, flags...)
}
