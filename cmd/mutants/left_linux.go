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

// ownGroup keeps a terminal's ^C from the command: we end it, with all below it.
// What outlives its parent is ours to end, too.
func ownGroup(cmd *exec.Cmd) {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER
	_, _, _ = syscall.Syscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// endBelow ends a command of ours and what is below it, and removes the homes that
// the tests had no time to remove.
func endBelow(pid int) error {
	below := append(descendants(pid), pid)
	homes := homesOf(below)
	for _, p := range slices.Backward(below) { // the command first, so that it starts no more
		_ = syscall.Kill(p, syscall.SIGKILL) // what is gone is gone
	}
	return removeHomes(homes)
}

// endLeft ends what commands that ended left running.
func endLeft() error {
	var homes []string
	for deadline := time.Now().Add(10 * time.Second); ; {
		for { // children that came to us when their parent ended
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != nil || pid <= 0 {
				break
			}
		}
		left := descendants(os.Getpid())
		if len(left) == 0 {
			return removeHomes(homes)
		}
		if time.Now().After(deadline) {
			return errors.Join(fmt.Errorf("still running: %v", left), removeHomes(homes))
		}
		homes = append(homes, homesOf(left)...)
		for _, p := range left {
			_ = syscall.Kill(p, syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// descendants lists the processes below pid, as /proc has them now.
func descendants(pid int) []int {
	parents := map[int]int{}
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue
		}
		// The name, in brackets, may hold anything.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		child, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			parents[child] = parent
		}
	}
	var below []int
	for child := range parents {
		for up, steps := parents[child], 0; up > 1 && steps < 100; up, steps = parents[up], steps+1 {
			if up == pid {
				below = append(below, child)
				break
			}
		}
	}
	return below
}

// homesOf lists the directories of tests that processes were started with: the
// tests make them as /tmp/ab..., since a socket's path is short.
func homesOf(pids []int) []string {
	pattern := regexp.MustCompile(`/tmp/ab[a-z]*[0-9]+(-[0-9]+)?/`)
	foreign := strings.Join(os.Environ(), "\n")
	var homes []string
	for _, pid := range pids {
		// What cannot be read is gone.
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		for _, home := range pattern.FindAllString(string(command)+"\n"+string(environ), -1) {
			if !slices.Contains(homes, home) && !strings.Contains(foreign, home) {
				homes = append(homes, home)
			}
		}
	}
	return homes
}

func removeHomes(homes []string) error {
	var all error
	for _, home := range homes {
		all = errors.Join(all, os.RemoveAll(home))
	}
	return all
}
