package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// If the root directory does not exist yet and no files can be created in the directory above it,
// Check reports this.
func TestCheckHomeThatCannotBeWritten(t *testing.T) {
	above := t.TempDir()
	if os.Geteuid() == 0 { // root can write to any directory, but not to a read-only file system
		err := unix.Mount(above, above, "", unix.MS_BIND, "")
		if errors.Is(err, unix.EPERM) {
			t.Skip("only a root that may mount can make a directory that it cannot write to")
		}
		must(t, err)
		t.Cleanup(func() { must(t, unix.Unmount(above, 0)) })
		must(t, unix.Mount("", above, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	} else {
		must(t, os.Chmod(above, 0o500))
	}
	i := &Installer{Root: home.Root{Dir: filepath.Join(above, "user", ".abrowser")}}
	part := partNamed(t, i.Check(t.Context(), wire.Settings{}), "directory")
	if part.OK || part.Code != wire.CodePermission || !strings.Contains(part.Detail, above) || !strings.Contains(part.Hint, "ABROWSER_HOME=") {
		t.Errorf("directory: %+v, want %s and %s", part, wire.CodePermission, above)
	}
}
