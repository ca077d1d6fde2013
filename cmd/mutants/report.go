package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// These are the exit statuses of the command.
const (
	statusKilled   = 0 // every test failed without its guard
	statusSurvived = 1 // at least one row of the table is bad; the package comment lists the cases
	statusError    = 2 // the command could not test all guards
)

// run runs the command and returns its exit status.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	limit := flags.Duration("limit", 4*time.Minute, "time limit for one go test")
	list := flags.Bool("list", false, "list the guards and run nothing")
	verbose := flags.Bool("v", false, "show the output of failing tests")
	flags.Usage = func() {
		_, _ = fmt.Fprintln(stderr, "usage: mutants [-list] [-v] [-limit D] [WORD ...]\n\nWORD chooses guards by a part of their name, file or test.")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return statusError
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	r := report{progress: stderr, verbose: *verbose}
	err := r.runAll(ctx, flags.Args(), *list, *limit)
	r.printTable(stdout)
	switch {
	case err != nil:
		_, _ = fmt.Fprintln(stderr, "mutants:", err)
		return statusError
	case r.bad > 0:
		return statusSurvived
	}
	return statusKilled
}

// report collects and prints the results of a run.
type report struct {
	progress io.Writer
	verbose  bool
	rows     [][]string
	bad      int // number of rows whose test did not fail as it should
}

// runAll runs the tests of the guards that match the words, or lists these guards.
func (r *report) runAll(ctx context.Context, words []string, list bool, limit time.Duration) (err error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	guards, err := readGuards(root)
	if err != nil {
		return err
	}
	guards = slices.DeleteFunc(guards, func(g guard) bool { return !g.matches(words) })
	if len(guards) == 0 {
		return fmt.Errorf("no guard matches %q", words)
	}
	if list {
		for _, g := range guards {
			r.addRow(g, g.tests[0], "not run", 0)
		}
		return nil
	}
	temp, err := os.MkdirTemp("", "mu") // a short name, since tests create sockets below it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	// Some tests run code as another user, who must be able to enter this directory.
	if err := os.Chmod(temp, 0o755); err != nil { //nolint:gosec // other users must be able to enter it
		return err
	}
	b := &bench{root: root, temp: temp, limit: limit, baseline: map[trial]error{}}
	for i, g := range guards {
		r.printf("[%d/%d] %s\n", i+1, len(guards), g.name)
		if err := r.runGuard(ctx, b, g); err != nil {
			return err
		}
	}
	return nil
}

// runGuard checks each test of a guard with the guard in place and without it. It returns an error
// only if the whole run cannot continue.
func (r *report) runGuard(ctx context.Context, b *bench, g guard) error {
	for _, t := range g.tests {
		began := time.Now()
		err := b.checkBaseline(ctx, t)
		if err == nil {
			err = b.checkMutant(ctx, g, t)
		}
		took := time.Since(began).Round(100 * time.Millisecond)
		var bad verdict
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			r.printf("        fails, as it should: %s (%s)\n", b.firstFailure(), took)
			r.addRow(g, t, "fails", took)
		case errors.As(err, &bad):
			r.bad++
			r.printf("        %s: %s (%s)\n", bad, t, took)
			r.addRow(g, t, string(bad), took)
		default:
			return err
		}
		if r.verbose || err != nil {
			r.printf("%s\n", tail(b.output, 3000))
		}
	}
	return nil
}

// tail returns the last n bytes of the text, without leading and trailing white space.
func tail(text string, n int) string { return strings.TrimSpace(text[max(0, len(text)-n):]) }

func (r *report) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(r.progress, format, args...)
}

func (r *report) addRow(g guard, t trial, result string, took time.Duration) {
	r.rows = append(r.rows, []string{g.name, t.String(), result, took.String()})
}

// printTable prints the collected rows and the number of bad rows.
func (r *report) printTable(w io.Writer) {
	if len(r.rows) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "GUARD\tTEST WITHOUT IT\tRESULT\tTOOK")
	for _, row := range r.rows {
		_, _ = fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	_ = t.Flush() // fails only if the output is closed
	_, _ = fmt.Fprintf(w, "%d tests, %d bad\n", len(r.rows), r.bad)
}
