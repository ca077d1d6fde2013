package install

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// TestRealDriver downloads the pinned driver from the registry and runs it with a real Node.
// With -short it is skipped.
func TestRealDriver(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads from the npm registry")
	}
	i := &Installer{Root: home.Root{Dir: filepath.Join(t.TempDir(), "home")}}
	must(t, i.Root.Make())
	lock, err := i.lock(t.Context(), i.Root.Path("driver", "install.lock"), "parts")
	must(t, err)
	defer func() { must(t, lock.Close()) }()
	must(t, i.fetchDriver(t.Context()))
	d, err := i.FindDriver(t.Context())
	must(t, err)
	out, err := exec.CommandContext(t.Context(), d.Node.Path, filepath.Join(d.Directory, "package", "cli.js"), "--version").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "Version "+driverVersion {
		t.Errorf("cli.js --version: %v: %s", err, out)
	}
	for _, e := range driverPackage().Edits {
		if !contains(t, filepath.Join(d.Directory, e.File), e.To) {
			t.Errorf("%s has no %q", e.File, e.To)
		}
	}
	flip(t, filepath.Join(d.Directory, "package", "lib", "coreBundle.js"))
	if _, err := i.FindDriver(t.Context()); !errors.Is(err, wire.CodeNoDriver) {
		t.Errorf("a changed driver: %v", err)
	}
}
