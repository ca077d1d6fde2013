package driver

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

// If a new driver is killed before it accepts the session, Connect starts a second driver. Connect
// fails if the second driver is killed too, or if the first one exits without a signal.
func testKilledWhileItStarts(t *testing.T, s *Shared, setup Setup) {
	node := setup.Program
	for name, test := range map[string]struct {
		end   string
		times int
	}{
		"before it listens":     {"kill -9 $$", 1},
		"when it listens":       {"echo >&4; kill -9 $$", 1},
		"each time":             {"kill -9 $$", 2},
		"by itself, no signal":  {"exit 1", 1},
		"each time, it listens": {"echo >&4; kill -9 $$", 2},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			setup.Program = filepath.Join(dir, "node")
			script := fmt.Sprintf("#!/bin/sh\necho >> %[1]s/starts\nif [ $(wc -l < %[1]s/starts) -le %[2]d ]; then %[3]s; fi\nexec %[4]s \"$@\"\n", dir, test.times, test.end, node)
			if err := socketstest.WriteProgram(setup.Program, []byte(script)); err != nil {
				t.Fatal(err)
			}
			if test.times == 1 && test.end != "exit 1" {
				c := connect(t, s, setup)
				c.hello(t)
				c.Close()
				return
			}
			conn, err := s.Connect(t.Context(), setup)
			if conn != nil {
				conn.Close()
			}
			if !errors.Is(err, wire.CodeNoDriver) {
				t.Errorf("Connect() = %v, want %s", err, wire.CodeNoDriver)
			}
			if !await(func() bool { return len(s.leftovers()) == 0 }) {
				t.Errorf("left over: %q", s.leftovers())
			}
		})
	}
}
