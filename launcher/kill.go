package launcher

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// killTimeout is how long a killed daemon may take to exit.
const killTimeout = 5 * time.Second

// Kill kills the session's daemon, whatever it is doing, and the driver if the daemon has one of
// its own. It removes the files that they left. No tab is lost. Kill reports whether a daemon
// was running. It finds the daemon as the peer of a connection to the daemon's socket, since a
// file with a pid may be out of date.
func (l *Launcher) Kill(ctx context.Context, p home.Endpoint) (bool, error) {
	conn, err := sockets.Dial(ctx, p)
	if errors.Is(err, wire.CodeNotRunning) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	pid, err := sockets.PeerPID(conn)
	_ = conn.Close() // nothing was written
	if err != nil || pid == os.Getpid() {
		return false, wire.Errorf(wire.CodeWedged, "the system does not report which process serves the session").WithHint("abrowser doctor")
	}
	victim := pid
	if group, err := syscall.Getpgid(pid); err == nil && group == pid {
		victim = -pid // the daemon's process group, which contains its driver
	}
	if err := syscall.Kill(victim, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return false, wire.Errorf(wire.CodePermission, "killing process %d: %v", pid, err).WithHint("abrowser doctor")
	}
	l.logger().Info("killed", "name", p.Name, "pid", pid)
	return true, l.cleanUp(ctx, p)
}

// cleanUp takes over the lease of a killed daemon and removes its files.
func (l *Launcher) cleanUp(ctx context.Context, p home.Endpoint) error {
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	lease, err := sockets.Acquire(ctx, p.Lock)
	if err != nil {
		return err
	}
	file := strings.TrimSuffix(filepath.Base(p.Lock), filepath.Ext(p.Lock))
	return errors.Join(sockets.Unlink(p, lease), os.RemoveAll(l.Root.Path("state", "tmp", file)), lease.Close())
}
