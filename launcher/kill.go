package launcher

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// killTime is how long a killed daemon may take to be gone.
const killTime = 5 * time.Second

// Kill ends the session's daemon by force, whatever it does, and the driver of its
// own with it, and removes what they had no time to remove. No tab is lost by it.
// It reports whether there was one. Which process it is, the socket says, and no
// file.
func (l *Launcher) Kill(ctx context.Context, p home.Endpoint) (bool, error) {
	conn, err := sockets.Dial(ctx, p)
	if errors.Is(err, wire.CodeNotRunning) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	pid, err := sockets.PeerPID(conn)
	_ = conn.Close() // nothing was said
	if err != nil || pid == os.Getpid() {
		return false, wire.Errorf(wire.CodeWedged, "the system does not tell which process serves the session").WithHint("abrowser doctor")
	}
	victim := pid
	if group, err := syscall.Getpgid(pid); err == nil && group == pid {
		victim = -pid // it leads a group: its driver's, too
	}
	if err := syscall.Kill(victim, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return false, wire.Errorf(wire.CodePermission, "killing process %d: %v", pid, err).WithHint("abrowser doctor")
	}
	l.logger().Info("killed", "name", p.Name, "pid", pid)
	return true, l.tidy(ctx, p)
}

// tidy removes a killed daemon's files, as the holder of its lease.
func (l *Launcher) tidy(ctx context.Context, p home.Endpoint) error {
	ctx, cancel := context.WithTimeout(ctx, killTime)
	defer cancel()
	lease, err := sockets.Acquire(ctx, p.Lock)
	if err != nil {
		return err
	}
	file := strings.TrimSuffix(filepath.Base(p.Lock), filepath.Ext(p.Lock))
	removed := os.RemoveAll(l.Root.Path("state", "tmp", file))
	if errors.Is(removed, fs.ErrNotExist) {
		removed = nil
	}
	return errors.Join(sockets.Unlink(p, lease), removed, lease.Close())
}
