//go:build linux

package e2e

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

// Process is a living process as /proc shows it.
type Process struct {
	PID  int
	Exe  string
	args []string
}

func (p Process) String() string {
	return fmt.Sprintf("pid %d %s: %s", p.PID, p.Exe, strings.Join(p.args, " "))
}

// processes lists the running processes, without zombies and kernel threads.
func processes() []Process {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	var all []Process
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
		all = append(all, Process{
			PID: pid, Exe: strings.TrimSuffix(exe, " (deleted)"),
			args: strings.Split(strings.TrimRight(string(cmdline), "\x00"), "\x00"),
		})
	}
	slices.SortFunc(all, func(a, b Process) int { return a.PID - b.PID })
	return all
}

// environ reports whether the process was started with the variable, given as NAME=value.
func (p Process) environ(variable string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
	return err == nil && slices.Contains(strings.Split(string(env), "\x00"), variable)
}

// Running lists the processes of the home and their descendants. A process belongs to the home if
// its executable, its profile or one of its arguments is a path below Dir, or if its
// ABROWSER_HOME is Dir.
func (h *Home) Running() []Process {
	all := processes()
	known := map[int]bool{}
	for _, p := range all {
		below := strings.HasPrefix(p.Exe, h.Dir+"/") || slices.ContainsFunc(p.args, func(arg string) bool {
			return strings.HasPrefix(arg, "--user-data-dir="+h.Dir+"/") || strings.HasPrefix(arg, h.Dir+"/")
		})
		known[p.PID] = p.PID != os.Getpid() && (below || p.environ("ABROWSER_HOME="+h.Dir))
	}
	// Repeat until no process is added. One pass is not enough: the list is sorted by pid, and
	// when pids have wrapped around, a child can come before its parent.
	for found := true; found; {
		found = false
		for _, p := range all {
			if !known[p.PID] && p.PID != os.Getpid() && known[p.Parent()] {
				known[p.PID], found = true, true
			}
		}
	}
	return slices.DeleteFunc(all, func(p Process) bool { return !known[p.PID] })
}

// Kinds of processes.
const (
	KindDaemon  = "daemon"  // runs the commands of one session
	KindKeeper  = "keeper"  // starts a browser and its broker, and replaces them when they fail
	KindBroker  = "broker"  // connects all daemons, over CDP, to one browser
	KindBrowser = "browser" // the main process of Chromium
	KindDriver  = "driver"  // Playwright's Node process
	KindCommand = "command" // a command that a person or a task runs
	kindOther   = "other"   // any other process, such as a renderer
)

// Kind returns the kind of the process, which it derives from the process's arguments.
func (p Process) Kind() string {
	has := func(part string) bool {
		return slices.ContainsFunc(p.args, func(arg string) bool { return strings.HasPrefix(arg, part) })
	}
	ours := filepath.Base(p.args[0]) == "abrowser" && len(p.args) > 1
	switch {
	case ours && p.args[1] == "daemon":
		return KindDaemon
	case ours && p.args[1] == "keeper":
		return KindKeeper
	case ours && p.args[1] == "broker":
		return KindBroker
	case slices.Contains(p.args, "run-driver"), p.shared():
		return KindDriver
	case has("--user-data-dir=") && !has("--type=") && !has("--monitor-self"):
		return KindBrowser
	case ours:
		return KindCommand
	}
	return kindOther
}

// shared reports whether the process is a driver that several sessions can share. The command line
// of such a driver is "node [Node's flags] - driver ...".
func (p Process) shared() bool {
	at := slices.Index(p.args, "-")
	return at > 0 && at+1 < len(p.args) && p.args[at+1] == "driver"
}

// Of returns the processes of a kind in the home.
func (h *Home) Of(kind string) []Process {
	return slices.DeleteFunc(h.Running(), func(p Process) bool { return p.Kind() != kind })
}

// Daemon returns the process of a session's daemon; its pid is 0 if none runs.
func (h *Home) Daemon(session string) Process {
	for _, p := range h.Of(KindDaemon) {
		if slices.Contains(p.args[2:], session) {
			return p
		}
	}
	return Process{}
}

// Driver returns the process of a session's driver. If a driver is a child of the session's daemon,
// Driver returns that driver. Otherwise it returns the driver that sessions share. The pid is 0 if
// neither runs.
func (h *Home) Driver(session string) Process {
	daemon := h.Daemon(session)
	var shared Process
	for _, p := range h.Of(KindDriver) {
		if p.Parent() == daemon.PID {
			return p
		}
		if p.shared() {
			shared = p
		}
	}
	return shared
}

// Parent returns the pid of the parent process, or 0 if the process has ended.
func (p Process) Parent() int {
	parent, _ := strconv.Atoi(p.stat(4))
	return parent
}

// State returns the state of the process as the letter in /proc/PID/stat, such as T for stopped.
// It returns an empty string if the process does not exist.
func (p Process) State() string { return p.stat(3) }

// Nice returns the nice value of the process: the higher it is, the lower is the priority. It
// returns 0 if the process has ended.
func (p Process) Nice() int {
	nice, _ := strconv.Atoi(p.stat(19))
	return nice
}

// ProcessorTime returns the processor time that the process has used, or 0 if it has ended.
func (p Process) ProcessorTime() time.Duration {
	user, _ := strconv.Atoi(p.stat(14))
	system, _ := strconv.Atoi(p.stat(15))
	return time.Duration(user+system) * (time.Second / 100) // Linux counts hundredths of seconds here
}

// stat returns a field of /proc/PID/stat. The man page proc_pid_stat(5) has their numbers.
func (p Process) stat(field int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return ""
	}
	// Field 2 is the command name in parentheses. The name may contain spaces and parentheses, so
	// the other fields are counted from the last parenthesis.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if field-3 >= len(fields) {
		return ""
	}
	return fields[field-3]
}

// Kill kills a process and waits for its end.
func Kill(p Process) error {
	if p.PID == 0 {
		return fmt.Errorf("no process to kill")
	}
	if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
		return err
	}
	if !Await(10*time.Second, func() bool { return !p.Alive() }) {
		return fmt.Errorf("still there: %s", p)
	}
	return nil
}

// Alive reports whether the process runs or holds files. It counts as ended when it is a zombie
// without further threads. An empty command line is no sign of the end: a process that is killed
// loses its memory first, and its sockets accept connections until its last thread has ended.
func (p Process) Alive() bool {
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.PID))
	if err != nil || len(threads) > 1 {
		return err == nil
	}
	state := p.State()
	return state != "" && state != "Z" && state != "X"
}

// Await calls the function condition repeatedly until it returns true, but not longer than
// patience. Await reports whether condition returned true.
func Await(patience time.Duration, condition func() bool) bool {
	deadline := time.Now().Add(patience)
	for !condition() {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(50 * time.Millisecond) // /proc has no events, and each call of condition may read all of it
	}
	return true
}
