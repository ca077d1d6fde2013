package keeper

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	releaseTime = 5 * time.Second // for a browser that has lost its pipe to end
	checkTime   = 50 * time.Millisecond
)

// checkProfile returns an error if another program's browser uses the profile. A browser
// started on it would pass its command line to the other one, which opens a window for it,
// and end. The other browser is not touched. A lock that a dead browser left is removed by
// the next browser itself. A browser of an earlier keeper may still be ending: checkProfile
// waits for that.
func checkProfile(ctx context.Context, profile string) error {
	limit := time.NewTimer(releaseTime)
	defer limit.Stop()
	for {
		pid, held := holder(profile)
		if !held {
			return nil
		}
		other := wire.Errorf(wire.CodeHeld, "another program's browser (pid %d) has the profile %s", pid, profile).
			WithHint("end that browser, or give --profile another directory").With("pid", pid)
		if !isPiped(pid) {
			return other
		}
		select {
		case <-time.After(checkTime):
		case <-limit.C:
			return other
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// holder returns the process of the browser that uses a profile: it listens at the socket
// that Chromium puts there for later starts of itself.
func holder(profile string) (pid int, held bool) {
	conn, err := (&net.Dialer{Timeout: time.Second}).Dial("unix", filepath.Join(profile, "SingletonSocket"))
	if err != nil {
		return 0, false
	}
	_ = conn.Close() // nothing was sent
	link, err := os.Readlink(filepath.Join(profile, "SingletonLock"))
	if err != nil {
		return 0, true
	}
	pid, _ = strconv.Atoi(link[strings.LastIndexByte(link, '-')+1:])
	return pid, true
}

// isPiped reports whether a browser was started with a pipe, as a keeper starts it. It
// returns true if there is no /proc.
func isPiped(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err != nil || strings.Contains(string(line), "--remote-debugging-pipe")
}
