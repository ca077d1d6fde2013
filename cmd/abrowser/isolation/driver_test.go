//go:build linux

package isolation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// further is the number of sessions that are measured with a shared driver, and again with drivers
// of their own. One session is started before them and not measured.
const further = 4

// cost is the time and memory that a session needs in addition to a session that already runs.
type cost struct {
	start  time.Duration // the shortest time to start Playwright and connect to the browser
	driver int           // additional memory of the driver processes, average in KiB
	daemon int           // additional memory of the daemon processes, average in KiB
}

func (c cost) String() string {
	return fmt.Sprintf("%s to start, %.1f MB in the driver, %.1f MB in the daemon",
		c.start.Round(time.Millisecond), float64(c.driver)/1024, float64(c.daemon)/1024)
}

// The driver is Playwright's Node process. If sessions share a driver, each of them except the
// first needs at most a third of the start time, and a fifth of the driver memory, that it would
// need with a driver of its own.
func TestFurtherSessionsShareADriver(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	shared := costOf(t, h, s, "shared")
	if n := len(h.Of(e2e.KindDriver)); n != 1 {
		t.Errorf("%d drivers serve %d sessions", n, further+1)
	}
	h.Env = append(h.Env, "ABROWSER_DRIVER=own")
	own := costOf(t, h, s, "own")
	if n := len(h.Of(e2e.KindDriver)); n != 1+further+1 {
		t.Errorf("with drivers of their own, the sessions have %d drivers", n)
	}
	t.Logf("each further session: %s", shared)
	t.Logf("with its own driver:  %s", own)
	if 3*shared.start > own.start {
		t.Errorf("sharing the driver does not make a start 3 times faster")
	}
	if 5*shared.driver > own.driver {
		t.Errorf("sharing the driver does not make a session 5 times smaller")
	}
}

// costOf starts sessions and returns the cost of those after the first.
func costOf(t *testing.T, h *e2e.Home, s *site.Site, name string) cost {
	t.Helper()
	session := func(i int) string { return fmt.Sprintf("%s_%d", name, i) }
	h.Text(t, session(0), "open", s.URL("/form"))
	drivers, daemons := memory(t, h, e2e.KindDriver), memory(t, h, e2e.KindDaemon)
	var took []time.Duration
	for i := range further {
		h.Text(t, session(i+1), "open", s.URL("/form"))
		took = append(took, connectTime(t, h, session(i+1)))
	}
	return cost{
		start:  slices.Min(took), // other load on the machine can only lengthen it
		driver: (memory(t, h, e2e.KindDriver) - drivers) / further,
		daemon: (memory(t, h, e2e.KindDaemon) - daemons) / further,
	}
}

// memory returns the memory of the home's processes of a kind, in KiB. A memory page that several
// processes share counts proportionally.
func memory(t *testing.T, h *e2e.Home, kind string) int {
	t.Helper()
	sum := 0
	for _, p := range h.Of(kind) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.PID))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // the process has ended: it only connected a daemon to the driver
		}
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(raw), "\nPss:")
		var pss int
		if _, err := fmt.Sscan(rest, &pss); err != nil {
			t.Fatal(err)
		}
		sum += pss
	}
	return sum
}

// connectTime returns how long the session's daemon took to connect. It reads the time from the
// daemon's log.
func connectTime(t *testing.T, h *e2e.Home, session string) time.Duration {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(h.Dir, "log", session+".log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		var entry struct {
			Msg string
			MS  float64
		}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "connected" {
			return time.Duration(entry.MS * float64(time.Millisecond))
		}
	}
	t.Fatalf("the daemon of %s does not say when it was connected:\n%s", session, log)
	return 0
}
