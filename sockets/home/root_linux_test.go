package home

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/socketstest"
)

func TestMakeWithoutPermission(t *testing.T) {
	const nobody = 65534
	if os.Geteuid() != 0 {
		t.Skip("only root can start processes of another user, and mount")
	}
	dir, err := os.MkdirTemp("/tmp", "ab")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	chmod(t, dir, 0o755)
	if said := socketstest.Start(t, nobody, "make", filepath.Join(dir, "root")).FirstLine; !strings.HasPrefix(said, "permission ") || !strings.Contains(said, "forbids") {
		t.Errorf("Make() in another user's directory prints %q, want permission", said)
	}
	said := socketstest.StartWith(t, &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}, "make-on-read-only", dir).FirstLine
	if strings.Contains(said, "mount") || strings.HasPrefix(said, "internal ") {
		t.Skipf("this process cannot mount a file system: %s", said)
	}
	if !strings.HasPrefix(said, "permission ") || !strings.Contains(said, "read-only") {
		t.Errorf("Make() on a read-only file system prints %q, want permission and the reason", said)
	}
}

// mountReadOnly mounts an empty read-only file system at dir. It must run in a new mount
// namespace, so that no other process is affected.
func mountReadOnly(dir string) error {
	return unix.Mount("none", dir, "tmpfs", unix.MS_RDONLY, "")
}
