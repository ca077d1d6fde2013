package driver

import (
	"errors"
	"syscall"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A driver that is killed while nobody is connected leaves its socket to whoever
// sweeps; one that lives is left alone, and says how many it serves.
func testSweep(t *testing.T, s *Shared, setup Setup) {
	s.Linger = patience
	if found, err := s.List(t.Context()); err == nil && len(found) > 0 {
		t.Errorf("before the first driver there are %+v", found)
	}
	if err := s.Sweep(); err != nil {
		t.Errorf("Sweep of no directory = %v", err)
	}
	line := join(t, s, setup)
	found, err := s.List(t.Context())
	if err != nil || len(found) != 1 || found[0].PID != line.PID() || found[0].Sessions != 1 || found[0].Limit != defaultLimit || found[0].Err != nil {
		t.Errorf("List = %+v, %v", found, err)
	}
	line.Close()
	if err := s.Sweep(); err != nil || len(s.leftovers()) < 2 {
		t.Errorf("Sweep = %v, and of a driver that lives there is %q", err, s.leftovers())
	}
	pid := drivers(s)[0]
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if found, err := s.List(t.Context()); err != nil || len(found) != 1 || !errors.Is(found[0].Err, wire.CodeWedged) {
		t.Errorf("of a stopped driver List = %+v, %v", found, err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !await(func() bool { return len(drivers(s)) == 0 }) {
		t.Fatal("the driver does not die")
	}
	if len(s.leftovers()) == 0 {
		t.Error("a killed driver leaves nothing: there is nothing to see here")
	}
	// Its command line is gone before its descriptors are, and with them the lease.
	var swept error
	if !await(func() bool { swept = s.Sweep(); return swept != nil || len(s.leftovers()) == 0 }) || swept != nil {
		t.Errorf("Sweep = %v, and there is %q", swept, s.leftovers())
	}
}
