package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// Exit statuses.
const (
	allFail  = 0 // every guard's tests fail without it
	someLive = 1
	unusable = 2 // nothing was found out
)

// run is the command; it returns the status to exit with.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	limit := flags.Duration("limit", 4*time.Minute, "how long one test may take")
	list := flags.Bool("list", false, "list the guards and run nothing")
	verbose := flags.Bool("v", false, "show what failing tests print")
	flags.Usage = func() {
		_, _ = fmt.Fprintln(stderr, "usage: mutants [-list] [-v] [-limit D] [WORD ...]\n\nWORD chooses guards by a part of their area, name, file or test.")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return unusable
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	r := report{progress: stderr, verbose: *verbose}
	err := r.all(ctx, flags.Args(), *list, *limit)
	r.table(stdout)
	switch {
	case err != nil:
		_, _ = fmt.Fprintln(stderr, "mutants:", err)
		return unusable
	case r.bad > 0:
		return someLive
	}
	return allFail
}

// report is what was found out so far.
type report struct {
	progress io.Writer
	verbose  bool
	rows     [][]string
	bad      int
}

// all tries the chosen guards in a copy that is gone when it returns.
func (r *report) all(ctx context.Context, words []string, list bool, limit time.Duration) (err error) {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	guards, err := readGuards(filepath.Join(root, "cmd", "mutants", "guards"))
	if err != nil {
		return err
	}
	guards = slices.DeleteFunc(guards, func(g guard) bool { return !g.chosen(words) })
	if len(guards) == 0 {
		return fmt.Errorf("no guard is called by any of %q", words)
	}
	if list {
		for _, g := range guards {
			r.row(g, g.tests[0], "not run", 0)
		}
		return nil
	}
	work, err := os.MkdirTemp("", "mu")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	b := &bench{tree: filepath.Join(work, "tree"), temp: filepath.Join(work, "t"), limit: limit, sound: map[trial]error{}}
	// Tests of other users' access must reach what they make below it.
	if err := errors.Join(os.Chmod(work, 0o711), os.Mkdir(b.temp, 0o755), copyTree(b.tree, root)); err != nil {
		return err
	}
	for i, g := range guards {
		r.say("[%d/%d] %s: %s\n", i+1, len(guards), g.area, g.name)
		if err := r.one(ctx, b, g); err != nil {
			return err
		}
	}
	return nil
}

// one tries a guard. Its errors are those that end the run.
func (r *report) one(ctx context.Context, b *bench, g guard) error {
	for _, t := range g.tests {
		began := time.Now()
		err := b.passes(ctx, t)
		if err == nil {
			err = g.without(b.tree, func() error {
				if err := b.build(ctx); err != nil {
					return err
				}
				return b.fails(ctx, t)
			})
		}
		took := time.Since(began).Round(100 * time.Millisecond)
		var bad verdict
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			r.say("        fails, as it should: %s (%s)\n", b.firstFailure(), took)
			r.row(g, t, "fails", took)
		case errors.As(err, &bad):
			r.bad++
			r.say("        %s: %s (%s)\n", bad, t, took)
			r.row(g, t, string(bad), took)
		default:
			return err
		}
		if r.verbose || err != nil {
			r.say("%s\n", tail(b.last, 3000))
		}
	}
	return nil
}

func tail(text string, most int) string { return strings.TrimSpace(text[max(0, len(text)-most):]) }

func (r *report) say(format string, args ...any) {
	_, _ = fmt.Fprintf(r.progress, format, args...)
}

func (r *report) row(g guard, t trial, what string, took time.Duration) {
	r.rows = append(r.rows, []string{g.area + ": " + g.name, t.String(), what, took.String()})
}

// table prints what was found out: guard, test and verdict.
func (r *report) table(w io.Writer) {
	if len(r.rows) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "GUARD\tTEST WITHOUT IT\tVERDICT\tTOOK")
	for _, row := range r.rows {
		_, _ = fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	_ = t.Flush() // to a terminal or pipe that is still there or not
	_, _ = fmt.Fprintf(w, "%d trials, %d bad\n", len(r.rows), r.bad)
}
