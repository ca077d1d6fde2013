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

// TestRealDriver fetches the pinned driver from the registry, and has a real Node
// run it. It is left out of -short, since it needs the registry.
func TestRealDriver(t *testing.T) {
	if testing.Short() {
		t.Skip("it fetches from the npm registry")
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
