package socketstest

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Process is a process that runs the test binary in a role.
type Process struct {
	*exec.Cmd
	FirstLine string // the first line of its output
	// End closes the process's input and waits until the process exits. It is also called when the
	// test ends.
	End func()
}

// Start runs a role in another process and waits for the first line of its output. The process runs
// as the user uid, or as this process's user if uid is 0.
func Start(t *testing.T, uid uint32, role string, args ...string) *Process {
	t.Helper()
	attr := &syscall.SysProcAttr{}
	if uid != 0 {
		attr.Credential = &syscall.Credential{Uid: uid, Gid: uid}
	}
	return StartWith(t, attr, role, args...)
}

// StartWith runs a role in another process and waits for the first line of its output. The
// parameter attr contains the attributes of the process.
func StartWith(t *testing.T, attr *syscall.SysProcAttr, role string, args ...string) *Process {
	t.Helper()
	// The process ends when End is called, and not when a context ends.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), executable(t, attr), args...)
	cmd.Env = append(os.Environ(), childVariable+"="+role, "GOCOVERDIR="+os.TempDir(), "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = attr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &Process{Cmd: cmd}
	ended := false
	p.End = func() {
		if !ended {
			ended = true
			in.Close()
			_ = cmd.Wait()
		}
	}
	t.Cleanup(p.End)
	p.FirstLine, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s %v printed nothing: %v", role, args, err)
	}
	p.FirstLine = strings.TrimSpace(p.FirstLine)
	return p
}

// executable returns the path of the test binary, or of a copy that a process of another user can
// run.
func executable(t *testing.T, attr *syscall.SysProcAttr) string {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if attr.Credential == nil {
		return own
	}
	dir, err := os.MkdirTemp("", "ab")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	raw, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "test")
	if err := errors.Join(os.WriteFile(path, raw, 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return path
}
