//go:build linux

package e2e

import (
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Stop stops a process until the test ends.
func Stop(t testing.TB, p Process) {
	t.Helper()
	if p.PID == 0 {
		t.Fatal("there is no such process to stop")
	}
	if err := syscall.Kill(p.PID, syscall.SIGSTOP); err != nil {
		t.Fatalf("stopping %s: %v", p, err)
	}
	t.Cleanup(func() { _ = syscall.Kill(p.PID, syscall.SIGCONT) }) // it may be gone
	if !Await(5*time.Second, func() bool { return p.State() == "T" }) {
		t.Fatalf("%s does not stop", p)
	}
}

// Allowed reports whether a fault may make a command fail with the code, once.
func Allowed(code wire.Code) bool {
	switch code {
	case wire.CodeInterrupted, wire.CodeResultUnknown, wire.CodePageCrashed, wire.CodeBrowserRestart:
		return true
	}
	return false
}
