// Command bench compares abrowser with its peers, agent-browser and playwright-cli.
//
// A contender is one tool in one way of using it: abrowser, abrowser with other settings, or a
// peer. A run consists of scenarios. In most scenarios, the contenders run the same command in
// turn, and bench checks that each command had its effect. bench prints medians, 95th percentiles,
// and the ratio of each median to abrowser's median.
//
// The time of a command is the time of its whole process, from start to exit. It depends on the
// machine and on the load, so absolute times do not apply to other machines. The ratios do apply.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// options are the command-line options of a run.
type options struct {
	rounds   int
	peers    []string
	only     *regexp.Regexp
	browser  string
	json     bool
	out      string // a file to which bench also writes the figures, as JSON
	texts    string // a directory to which bench writes the snapshots of the scenario nameReading
	readme   string // a file with the figures of an earlier run, for the READMEs
	growth   []int
	tasks    int           // number of tasks that run at once
	few      int           // number of tasks that run at once if each needs a browser of its own
	budget   time.Duration // time for each contender in each scenario; see leastRounds
	progress func(format string, args ...any)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := read(os.Args[1:])
	switch {
	case err != nil:
	case o.readme != "":
		err = writeReadmes(o.readme)
	default:
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // there is nothing left to stop
	}
}

func read(args []string) (options, error) {
	o := options{progress: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.IntVar(&o.rounds, "rounds", 30, "how often each warm command is run by each contender")
	peers := f.String("peers", "agent-browser,playwright-cli", "the peers, fetched from npm; empty for none")
	only := f.String("only", "", "a regular expression for the scenarios to run")
	growth := f.String("growth", "1,8,32,64,128", "numbers of live sessions to measure at")
	f.StringVar(&o.browser, "browser", "", "the browser; without it the one that abrowser finds")
	f.IntVar(&o.tasks, "tasks", 32, "tasks at once in that scenario")
	f.IntVar(&o.few, "few", 8, "tasks at once for a peer that starts a browser for each")
	f.DurationVar(&o.budget, "budget", 6*time.Second, "time for each contender in each scenario; three rounds are run in any case")
	f.BoolVar(&o.json, "json", false, "print the figures as JSON")
	f.StringVar(&o.out, "out", "", "a file to write the figures to as JSON, too")
	f.StringVar(&o.texts, "texts", "", "a directory to write the snapshots of \""+nameReading+"\" to")
	f.StringVar(&o.readme, "readme", "", "measure nothing: put the figures of a run, a file that -out wrote, into the READMEs of cmd/bench and of the tree")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	for _, p := range strings.Split(*peers, ",") {
		if p != "" {
			o.peers = append(o.peers, p)
		}
	}
	for _, text := range strings.Split(*growth, ",") {
		var n int
		if _, err := fmt.Sscan(text, &n); err != nil || n < 1 {
			return o, fmt.Errorf("-growth takes numbers, not %q", text)
		}
		o.growth = append(o.growth, n)
	}
	var err error
	o.only, err = regexp.Compile(*only)
	return o, err
}

// run measures the chosen scenarios and prints the figures.
func run(ctx context.Context, o options) error {
	b, err := newBench(ctx, o)
	if err != nil {
		return err
	}
	defer b.close()
	for _, s := range scenarios() {
		if !o.only.MatchString(s.name) {
			continue
		}
		o.progress("%s", s.name)
		if err := s.measure(ctx, b, s.name); err != nil {
			b.fail(s.name, self, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return b.report(os.Stdout)
}
