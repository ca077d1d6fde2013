package install

import (
	"cmp"
	"os"
	"strings"
	"time"

	"github.com/abrowser/abrowser/launcher/install/browsers"
	"github.com/abrowser/abrowser/launcher/install/npm"
	"github.com/abrowser/abrowser/sockets/wire"
)

// machine describes what the package uses outside of the root directory: the pinned packages and
// the system. Tests replace it.
type machine struct {
	driver       npm.Package
	node         func() (npm.Package, bool)
	kinds        []browsers.Kind
	osRelease    string // the file that names the distribution
	root         bool   // this process is the superuser
	packagesLock string // the lock file for the installation of the system's packages
	stall        time.Duration
}

func (i *Installer) on() *machine {
	if i.machine != nil {
		return i.machine
	}
	return &machine{
		driver: driverPackage(), node: nodePackage, kinds: browsers.Kinds(), root: os.Geteuid() == 0,
		osRelease: "/etc/os-release", packagesLock: "/run/abrowser-packages.lock",
	}
}

// npm returns an installer that installs npm packages into the driver directory.
func (i *Installer) npm() *npm.Installer {
	_, registry := wire.LookupVariable(i.lookup, []string{"ABROWSER_NPM_REGISTRY", "npm_config_registry", "NPM_CONFIG_REGISTRY"})
	return &npm.Installer{
		Dir: i.Root.Path("driver"), Registry: cmp.Or(strings.TrimRight(registry, "/"), npm.PublicRegistry), Log: i.logger(),
		Progress: i.Progress, Terminal: i.Terminal, Stall: i.on().stall,
	}
}
