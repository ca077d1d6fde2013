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

func TestMakeWhereNobodyMayWrite(t *testing.T) {
	const nobody = 65534
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user too, and mount")
	}
	dir, err := os.MkdirTemp("/tmp", "ab")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	chmod(t, dir, 0o755)
	if said := socketstest.Start(t, nobody, "make", filepath.Join(dir, "root")).FirstLine; !strings.HasPrefix(said, "permission ") || !strings.Contains(said, "forbids") {
		t.Errorf("Make() in another's directory says %q, want permission", said)
	}
	said := socketstest.StartWith(t, &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}, "make-on-read-only", dir).FirstLine
	if strings.Contains(said, "mount") || strings.HasPrefix(said, "internal ") {
		t.Skipf("no file system of one's own here: %s", said)
	}
	if !strings.HasPrefix(said, "permission ") || !strings.Contains(said, "read-only") {
		t.Errorf("Make() on a read-only file system says %q, want permission and why", said)
	}
}

// mountReadOnly works in a mount namespace of one's own only.
func mountReadOnly(dir string) error {
	return unix.Mount("none", dir, "tmpfs", unix.MS_RDONLY, "")
}
