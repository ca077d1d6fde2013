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
	releaseTime = 5 * time.Second // how long a browser may take to exit after its pipe was closed
	checkTime   = 50 * time.Millisecond
)

// checkProfile returns an error if a browser that abrowser did not start uses the profile. A
// second browser on the profile would not keep running. It would pass its command line to the
// running browser, which would open a window, and then the second browser would exit. checkProfile
// does not end the running browser. A stale lock of a dead browser is no error, since the next
// browser removes it.
//
// A browser of an earlier keeper may still be exiting. checkProfile waits up to 5 s (releaseTime)
// for its exit before it returns the error.
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

// holder reports whether a browser uses the profile, and returns the pid of that browser, or
// 0 if the pid is unknown. The browser listens at a socket in the profile, through which
// later starts of Chromium find it.
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

// isPiped reports whether a browser was started with a pipe, as a keeper does. It also returns
// true if there is no /proc.
func isPiped(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err != nil || strings.Contains(string(line), "--remote-debugging-pipe")
}
