package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// setProcessGroup gives the command a process group of its own, so that Ctrl-C in a terminal does
// not interrupt it. killTree ends the command with all its descendants instead. setProcessGroup
// also makes this process adopt orphans: if the parent of a descendant exits, the descendant
// becomes a child of this process, so that killOrphans finds it.
func setProcessGroup(cmd *exec.Cmd) {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER
	_, _, _ = syscall.Syscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killTree kills a process and its descendants, and removes the home directories that the killed
// tests could not remove.
func killTree(pid int) error {
	pids := append(descendants(pid), pid)
	homes := testHomes(pids)
	for _, p := range slices.Backward(pids) { // pid first, so that it cannot start another process
		_ = syscall.Kill(p, syscall.SIGKILL) // fails if p has exited
	}
	return removeAll(homes)
}

// killOrphans kills all remaining descendants of this process, which earlier go commands have left
// running, and removes their home directories. It returns an error if some of them are still
// running after 10 s.
func killOrphans() error {
	var homes []string
	for deadline := time.Now().Add(10 * time.Second); ; {
		for { // wait for the orphans that have exited, so that no zombies remain
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != nil || pid <= 0 {
				break
			}
		}
		left := descendants(os.Getpid())
		if len(left) == 0 {
			return removeAll(homes)
		}
		if time.Now().After(deadline) {
			return errors.Join(fmt.Errorf("still running: %v", left), removeAll(homes))
		}
		homes = append(homes, testHomes(left)...)
		for _, p := range left {
			_ = syscall.Kill(p, syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// descendants returns the process ids of a process's descendants, according to /proc.
func descendants(pid int) []int {
	parents := map[int]int{}
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue
		}
		// Skip the process name, which is in parentheses and may contain any characters.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		child, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			parents[child] = parent
		}
	}
	var found []int
	for child := range parents {
		for up, steps := parents[child], 0; up > 1 && steps < 100; up, steps = parents[up], steps+1 {
			if up == pid {
				found = append(found, child)
				break
			}
		}
	}
	return found
}

// testHomes returns the home directories of abrowser that occur in the command lines and
// environments of the given processes. It omits those that occur in this process's environment.
// Tests create home directories as /tmp/ab..., because the path of a socket is limited in length.
func testHomes(pids []int) []string {
	pattern := regexp.MustCompile(`/tmp/ab[a-z]*[0-9]+(-[0-9]+)?/`)
	own := strings.Join(os.Environ(), "\n")
	var homes []string
	for _, pid := range pids {
		// Reading fails if the process has exited.
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		for _, home := range pattern.FindAllString(string(command)+"\n"+string(environ), -1) {
			if !slices.Contains(homes, home) && !strings.Contains(own, home) {
				homes = append(homes, home)
			}
		}
	}
	return homes
}

func removeAll(paths []string) error {
	var all error
	for _, path := range paths {
		all = errors.Join(all, os.RemoveAll(path))
	}
	return all
}
