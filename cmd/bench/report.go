package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// result holds the figures of a run in the form that the flag -json prints and -readme reads.
type result struct {
	Date     string    `json:"date"`
	Machine  string    `json:"machine"`
	Versions []string  `json:"versions"`
	Flags    []string  `json:"flags"` // the browser's flags, for the contenders that accept flags
	Seconds  float64   `json:"seconds"`
	Figures  []figure  `json:"figures"`
	Readings []reading `json:"readings,omitzero"` // the results of the scenario nameReading
}

// report prints the figures, each with its ratio to abrowser's figure. It also writes them to the
// file that the flag -out names, if any. It returns an error if a figure is missing.
func (b *bench) report(out io.Writer) error {
	if len(b.figures)+len(b.readings) == 0 {
		return errors.New("no scenario matches -only")
	}
	own := map[string]float64{}
	for _, f := range b.figures {
		if f.Contender == self {
			own[f.Scenario] = f.Median
		}
	}
	for i := range b.figures {
		if ours := own[b.figures[i].Scenario]; ours > 0 {
			b.figures[i].Ratio = b.figures[i].Median / ours
		}
	}
	failed := 0
	for _, f := range b.figures {
		if f.Error != "" {
			failed++
		}
	}
	for _, one := range b.readings {
		if one.Error != "" {
			failed++
		}
	}
	r := b.result()
	if b.out != "" {
		raw, err := json.MarshalIndent(r, "", " ")
		if err == nil {
			err = os.WriteFile(b.out, append(raw, '\n'), 0o600)
		}
		if err != nil {
			return err
		}
	}
	print := r.print
	if b.json {
		print = func(out io.Writer) error { return json.NewEncoder(out).Encode(r) }
	}
	if err := print(out); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d figures are missing", failed)
	}
	return nil
}

func (b *bench) result() result {
	took := time.Since(b.began)
	return result{
		Date: b.began.UTC().Format("2006-01-02"), Machine: machine(), Versions: append(b.versions, b.browserVersion(), "Go "+strings.TrimPrefix(runtime.Version(), "go")),
		Flags: b.flags(), Seconds: took.Round(time.Second).Seconds(), Figures: b.figures, Readings: b.readings,
	}
}

// print writes the figures as a table.
func (r result) print(out io.Writer) error {
	fmt.Fprintf(out, "%s; %s; %s\nbrowser flags: %s\n\n", r.Date, r.Machine, strings.Join(r.Versions, ", "), strings.Join(r.Flags, " "))
	fmt.Fprintf(out, "%-64s %-32s %12s %8s %5s %7s\n", "scenario", "contender", "median", "p95", "runs", "ratio")
	last := ""
	for _, f := range r.Figures {
		name := f.Scenario
		if name == last {
			name = ""
		}
		last = f.Scenario
		if f.Error != "" {
			fmt.Fprintf(out, "%-64s %-32s failed: %s\n", name, f.Contender, f.Error)
			continue
		}
		p95, ratio := "", ""
		if f.P95 > 0 {
			p95 = fmt.Sprintf("%.1f", f.P95)
		}
		if f.Ratio > 0 {
			ratio = fmt.Sprintf("%.2f", f.Ratio)
		}
		fmt.Fprintf(out, "%-64s %-32s %8.1f %-4s %7s %5d %7s\n", name, f.Contender, f.Median, shortUnit(f.Unit), p95, f.Runs, ratio)
	}
	if len(r.Readings) > 0 {
		fmt.Fprintf(out, "\n%s:\n%s", nameReading, r.readBlock())
		for _, one := range r.Readings {
			if one.Error != "" {
				fmt.Fprintf(out, "%s, %s, %s failed: %s\n", one.App, one.Contender, one.Look, one.Error)
			}
		}
	}
	_, err := fmt.Fprintf(out, "\nratio: to abrowser in this run; %.0f s in all\n", r.Seconds)
	return err
}

func shortUnit(unit string) string {
	if unit == "tasks/min" {
		return "/m"
	}
	return unit
}

// machine returns a description of the processor and the operating system.
func machine() string {
	model := "a processor"
	info, _ := os.ReadFile("/proc/cpuinfo") // exists on Linux only
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%d cores of %s, %s/%s", runtime.NumCPU(), model, runtime.GOOS, runtime.GOARCH)
}

func (b *bench) browserVersion() string { return lineOf(b.browser, "--version") }

// lineOf returns the first line that a command prints. If the command fails, lineOf returns the
// name of the program.
func lineOf(program string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return program
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line)
}
