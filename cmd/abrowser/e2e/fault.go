//go:build linux

package e2e

import (
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Stop suspends a process with SIGSTOP until the test ends.
func Stop(t testing.TB, p Process) {
	t.Helper()
	if p.PID == 0 {
		t.Fatal("no process to stop")
	}
	if err := syscall.Kill(p.PID, syscall.SIGSTOP); err != nil {
		t.Fatalf("stopping %s: %v", p, err)
	}
	t.Cleanup(func() { _ = syscall.Kill(p.PID, syscall.SIGCONT) }) // the process may have ended
	if !Await(5*time.Second, func() bool { return p.State() == "T" }) {
		t.Fatalf("%s does not stop", p)
	}
}

// Allowed reports whether one command may fail with this code after a fault, such as the death of
// a process.
func Allowed(code wire.Code) bool {
	switch code {
	case wire.CodeInterrupted, wire.CodeResultUnknown, wire.CodePageCrashed, wire.CodeBrowserRestart:
		return true
	}
	return false
}
