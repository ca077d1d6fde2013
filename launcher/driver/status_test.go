package driver

import (
	"errors"
	"syscall"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Sweep removes the socket of a driver that was killed while it had no session. It leaves a
// running driver alone. List reports how many sessions a running driver serves.
func testSweep(t *testing.T, s *Shared, setup Setup) {
	s.Linger = patience
	if found, err := s.List(t.Context()); err == nil && len(found) > 0 {
		t.Errorf("List before the first driver = %+v", found)
	}
	if err := s.Sweep(); err != nil {
		t.Errorf("Sweep without a directory = %v", err)
	}
	conn := connect(t, s, setup)
	found, err := s.List(t.Context())
	if err != nil || len(found) != 1 || found[0].PID != conn.PID() || found[0].Sessions != 1 || found[0].Limit != maxSessions || found[0].Err != nil {
		t.Errorf("List = %+v, %v", found, err)
	}
	conn.Close()
	if err := s.Sweep(); err != nil || len(s.leftovers()) < 2 {
		t.Errorf("Sweep = %v, and %q is left of a running driver", err, s.leftovers())
	}
	pid := drivers(s)[0]
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if found, err := s.List(t.Context()); err != nil || len(found) != 1 || !errors.Is(found[0].Err, wire.CodeWedged) {
		t.Errorf("List with a suspended driver = %+v, %v", found, err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !await(func() bool { return len(drivers(s)) == 0 }) {
		t.Fatal("the killed driver has not exited")
	}
	if len(s.leftovers()) == 0 {
		t.Error("the killed driver has left nothing, so the test proves nothing")
	}
	// When a process exits, its command line disappears before the system closes its descriptors.
	// So the lease may still be held for a moment, and Sweep is called until it removes the files.
	var swept error
	if !await(func() bool { swept = s.Sweep(); return swept != nil || len(s.leftovers()) == 0 }) || swept != nil {
		t.Errorf("Sweep = %v, and %q is left", swept, s.leftovers())
	}
}
