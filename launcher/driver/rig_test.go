package driver

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
)

// patience is the timeout for steps that take a second on an idle machine.
const patience = 30 * time.Second

// newShared returns a Shared with a new root directory. At the end of the test, all drivers below
// this directory must have exited and removed their files.
func newShared(t *testing.T) *Shared {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "abs") // a short path, as for every socket
	if err != nil {
		t.Fatal(err)
	}
	s := &Shared{Root: home.Root{Dir: filepath.Join(dir, "r")}, Linger: 200 * time.Millisecond}
	t.Cleanup(func() {
		var left []string
		if !await(func() bool { left = s.leftovers(); return len(left) == 0 }) {
			t.Errorf("left over: %q", left)
		}
		for _, pid := range drivers(s) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // the test has failed already
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return s
}

// leftovers returns the processes, sockets and temporary files of drivers below the root.
func (s *Shared) leftovers() []string {
	var left []string
	for _, pid := range drivers(s) {
		left = append(left, fmt.Sprint("process ", pid))
	}
	for _, pattern := range []string{"run/d/*.sock", "state/tmp/*"} {
		found, _ := filepath.Glob(s.Root.Path(pattern)) // the pattern is valid
		left = append(left, found...)
	}
	return left
}

// drivers returns the pids of the processes that have a socket below the root in their command
// line.
func drivers(s *Shared) []int {
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is valid
	var pids []int
	for _, file := range found {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Contains(line, []byte("\x00driver\x00"+s.Root.Path("run", "d")+"/")) {
			var pid int
			if _, err := fmt.Sscanf(file, "/proc/%d/", &pid); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func await(yes func() bool) bool {
	for end := time.Now().Add(patience); !yes(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
