//go:build !linux

package main

import (
	"os/exec"
	"syscall"
)

// setProcessGroup gives the command a process group of its own.
func setProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killTree kills all processes in the process group pid.
func killTree(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }

// killOrphans does nothing, because only Linux makes orphans children of this process.
func killOrphans() error { return nil }
