package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// memory is the memory of a group of processes, measured as proportional set size (PSS), in MB. A
// page of memory that n processes share counts as 1/n of a page for each of them.
type memory struct {
	all       float64
	renderers float64            // Chromium's renderer processes
	others    map[string]float64 // all other processes, by kind (see kindOf)
}

// These are the kinds of abrowser's own processes. Each session has a daemon. The broker connects
// all daemons to one browser. The keeper starts the broker and the browser. A driver runs
// Playwright.
const (
	kindDaemons = "daemons"
	kindBroker  = "broker and keeper"
	kindDrivers = "drivers"
)

// cpuTimeBelow returns the CPU time that a contender's processes have used, by kind. dir is the
// contender's directory.
func cpuTimeBelow(dir string) map[string]time.Duration {
	all := map[string]time.Duration{}
	for _, p := range processesBelow(dir) {
		all[kindOf(p.command)] += processTime(p.pid)
	}
	return all
}

// processTime returns the CPU time that a process has used, with a resolution of 10 ms. It includes
// the time of threads that have ended, which threadTime does not.
func processTime(pid int) time.Duration {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // fails if the process has exited
	_, rest, _ := strings.Cut(string(raw), ") ")
	var user, system time.Duration
	if fields := strings.Fields(rest); len(fields) > 12 {
		_, _ = fmt.Sscan(fields[11]+" "+fields[12], &user, &system) // hundredths of a second, see proc(5)
	}
	return (user + system) * 10 * time.Millisecond
}

// kindOf returns the kind of a process. It finds the kind in the process's command line.
func kindOf(command []byte) string {
	for _, kind := range []struct{ name, sign string }{
		{"renderers", "--type=renderer"},
		{"Chromium's GPU process", "--type=gpu-process"},
		{"Chromium's other processes", "--type="},
		{"Chromium's browser process", "--user-data-dir="},
		{kindDaemons, "abrowser\x00daemon\x00"},
		{kindBroker, "abrowser\x00"},
		{kindDrivers, "\x00driver\x00"},
	} {
		if bytes.Contains(command, []byte(kind.sign)) {
			return kind.name
		}
	}
	return "others"
}

// pssBelow returns the memory of all processes of the contender whose directory is dir, in MB.
func pssBelow(dir string) (float64, error) {
	m, err := measureMemory(dir)
	return m.all, err
}

func measureMemory(dir string) (memory, error) {
	m := memory{others: map[string]float64{}}
	for _, p := range processesBelow(dir) {
		raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "smaps_rollup"))
		if err != nil {
			continue // the process has exited
		}
		_, rest, found := strings.Cut(string(raw), "\nPss:")
		var kilobytes float64
		if !found {
			continue // the process is exiting
		}
		if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
			return m, fmt.Errorf("memory of process %d: %w", p.pid, err)
		}
		m.all += kilobytes / 1024
		if kind := kindOf(p.command); kind == "renderers" {
			m.renderers += kilobytes / 1024
		} else {
			m.others[kind] += kilobytes / 1024
		}
	}
	return m, nil
}

type process struct {
	pid     int
	command []byte
}

// processesBelow returns the processes that belong to the directory dir, except bench itself. A
// process belongs to dir if its command line or environment contains a path below dir, or if an
// environment variable has the value dir.
func processesBelow(dir string) []process {
	entries, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	var all []process
	for _, proc := range entries {
		pid, err := strconv.Atoi(filepath.Base(proc))
		if err != nil || pid == os.Getpid() {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(proc, "cmdline")) // fails if the process has exited
		environ, _ := os.ReadFile(filepath.Join(proc, "environ"))
		if bytes.Contains(slices.Concat(command, environ), []byte(dir+"/")) || bytes.Contains(environ, []byte("="+dir+"\x00")) {
			all = append(all, process{pid, command})
		}
	}
	return all
}

// killBelow kills the processes that a run has left running. dir is the directory of the run.
func killBelow(dir string) {
	for _, p := range processesBelow(dir) {
		_ = syscall.Kill(p.pid, syscall.SIGKILL) // fails if the process has exited
	}
}

// evals is the number of eval commands of which brokerPerEval computes the mean.
const evals = 300

// brokerPerEval returns the CPU time that the broker uses for one eval command. For each eval,
// several messages pass through the broker in both directions.
func brokerPerEval(ctx context.Context, c *contender, session string) (time.Duration, error) {
	broker := 0
	for _, p := range processesBelow(c.dir) {
		if bytes.HasPrefix(p.command, []byte("abrowser\x00broker\x00")) {
			broker = p.pid
		}
	}
	if broker == 0 {
		return 0, errors.New("there is no broker")
	}
	place, err := c.root().Session(session)
	if err != nil {
		return 0, err
	}
	cl := client.Client{Endpoint: place, Session: session}.KeepAlive()
	defer cl.Close()
	before := threadTime(broker)
	for range evals {
		if _, _, err := client.Do(ctx, cl, verbs.Eval, verbs.EvalIn{Script: "21*2"}); err != nil {
			return 0, err
		}
	}
	return (threadTime(broker) - before) / evals, nil
}

// threadTime returns the CPU time that the live threads of a process have used, with a resolution
// of nanoseconds.
func threadTime(pid int) time.Duration {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // the pattern is valid
	var all time.Duration
	for _, thread := range threads {
		raw, _ := os.ReadFile(thread) // fails if the thread has ended
		var ran time.Duration
		if _, err := fmt.Sscan(string(raw), &ran); err == nil {
			all += ran
		}
	}
	return all
}
