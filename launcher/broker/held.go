package broker

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
	lettingGo = 5 * time.Second // for a browser of ours that lost its pipe to end
	lookAgain = 50 * time.Millisecond
)

// checkUnheld refuses a profile that another program's browser has. Started on it,
// ours would hand itself over to that one, which opens a window of a person's, and
// end. Nothing of the other's is touched; what a dead one left is the browser's own
// business. One of ours may still be ending: that is waited for.
func checkUnheld(ctx context.Context, profile string) error {
	limit := time.NewTimer(lettingGo)
	defer limit.Stop()
	for {
		pid, held := holder(profile)
		if !held {
			return nil
		}
		other := wire.Errorf(wire.CodeHeld, "another program's browser (pid %d) has the profile %s", pid, profile).
			WithHint("end that browser, or give --profile another directory").With("pid", pid)
		if !pipedBrowser(pid) {
			return other
		}
		select {
		case <-time.After(lookAgain):
		case <-limit.C:
			return other
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// holder is the process whose browser has the profile: it listens at the socket
// that Chromium leaves there for later ones of itself.
func holder(profile string) (pid int, held bool) {
	conn, err := (&net.Dialer{Timeout: time.Second}).Dial("unix", filepath.Join(profile, "SingletonSocket"))
	if err != nil {
		return 0, false
	}
	_ = conn.Close() // nothing was said
	link, err := os.Readlink(filepath.Join(profile, "SingletonLock"))
	if err != nil {
		return 0, true
	}
	pid, _ = strconv.Atoi(link[strings.LastIndexByte(link, '-')+1:])
	return pid, true
}

// pipedBrowser reports whether a browser was started as ours are. Where there is
// no /proc every one may have been.
func pipedBrowser(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err != nil || strings.Contains(string(line), "--remote-debugging-pipe")
}
