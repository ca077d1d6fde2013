//go:build !linux

package main

import (
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endBelow ends the process group of pid.
func endBelow(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }

// endLeft ends nothing: only on Linux is known what a process left.
func endLeft() error { return nil }
