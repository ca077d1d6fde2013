//go:build !linux

package main

import (
	"os/exec"
	"syscall"
)

// setProcessGroup gives the command a process group of its own.
func setProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killTree kills the process group of pid.
func killTree(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }

// killOrphans does nothing, since orphans become children of this process only on Linux.
func killOrphans() error { return nil }
