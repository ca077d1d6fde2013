//go:build linux

package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a living process as /proc shows it.
type process struct {
	pid  int
	exe  string
	args []string
}

func (p process) String() string {
	return fmt.Sprintf("pid %d %s: %s", p.pid, p.exe, strings.Join(p.args, " "))
}

// processes lists what runs now; zombies and the kernel's own are left out.
func processes() []process {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	var all []process
	for _, dir := range entries {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		cmdline, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || len(cmdline) == 0 {
			continue
		}
		exe, _ := os.Readlink(filepath.Join(dir, "exe"))
		all = append(all, process{
			pid: pid, exe: strings.TrimSuffix(exe, " (deleted)"),
			args: strings.Split(strings.TrimRight(string(cmdline), "\x00"), "\x00"),
		})
	}
	slices.SortFunc(all, func(a, b process) int { return a.pid - b.pid })
	return all
}

// environ reports whether the process was started with this variable.
func (p process) environ(variable string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
	return err == nil && slices.Contains(strings.Split(string(env), "\x00"), variable)
}

// running lists the processes that belong to the home: that run a file below it,
// were started with its profile, or carry its ABROWSER_HOME, and their children.
func (h *home) running() []process {
	var ours []process
	known := map[int]bool{}
	for _, p := range processes() { // parents first, but for a pid that came round
		if p.pid == os.Getpid() {
			continue
		}
		below := strings.HasPrefix(p.exe, h.dir+"/") || slices.ContainsFunc(p.args, func(arg string) bool {
			return strings.HasPrefix(arg, "--user-data-dir="+h.dir+"/") || strings.HasPrefix(arg, h.dir+"/")
		})
		if below || known[p.parent()] || p.environ("ABROWSER_HOME="+h.dir) {
			ours = append(ours, p)
			known[p.pid] = true
		}
	}
	return ours
}

// Kinds of processes.
const (
	kindDaemon  = "daemon"
	kindKeeper  = "keeper"
	kindBroker  = "broker"
	kindBrowser = "browser"
	kindDriver  = "driver"
	kindOther   = "other" // a browser's children, commands
)

// kind says what a process is by what `ps` shows of it.
func (p process) kind() string {
	has := func(part string) bool {
		return slices.ContainsFunc(p.args, func(arg string) bool { return strings.HasPrefix(arg, part) })
	}
	ours := filepath.Base(p.args[0]) == "abrowser" && len(p.args) > 1
	switch {
	case ours && p.args[1] == "daemon":
		return kindDaemon
	case ours && p.args[1] == "keeper":
		return kindKeeper
	case ours && p.args[1] == "broker":
		return kindBroker
	case slices.Contains(p.args, "run-driver"), len(p.args) > 2 && p.args[1] == "-" && p.args[2] == "driver":
		return kindDriver
	case has("--user-data-dir=") && !has("--type=") && !has("--monitor-self"):
		return kindBrowser
	}
	return kindOther
}

// of lists the home's processes of a kind.
func (h *home) of(kind string) []process {
	return slices.DeleteFunc(h.running(), func(p process) bool { return p.kind() != kind })
}

// daemon is the process of a session's daemon; pid 0 where there is none.
func (h *home) daemon(session string) process {
	for _, p := range h.of(kindDaemon) {
		if slices.Contains(p.args[2:], session) {
			return p
		}
	}
	return process{}
}

// driver is the process of a session's driver: the daemon's child, or one that all
// sessions share.
func (h *home) driver(session string) process {
	daemon := h.daemon(session)
	var shared process
	for _, p := range h.of(kindDriver) {
		if p.parent() == daemon.pid {
			return p
		}
		if p.args[1] == "-" {
			shared = p
		}
	}
	return shared
}

func (p process) parent() int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0
	}
	// The name, in brackets, may hold anything.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

// kill ends a process the hard way and waits until it is gone.
func kill(p process) error {
	if p.pid == 0 {
		return fmt.Errorf("there is no such process to kill")
	}
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil {
		return err
	}
	if !await(10*time.Second, func() bool { return !p.alive() }) {
		return fmt.Errorf("still there: %s", p)
	}
	return nil
}

// alive reports whether the process runs: is there and no zombie.
func (p process) alive() bool {
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
	return err == nil && len(cmdline) > 0
}

// await asks until the answer is yes, and reports whether it was in time.
func await(patience time.Duration, yes func() bool) bool {
	deadline := time.Now().Add(patience)
	for !yes() {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(20 * time.Millisecond)
	}
	return true
}
