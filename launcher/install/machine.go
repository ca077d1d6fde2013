package install

import (
	"os"
	"strings"
	"time"

	"github.com/abrowser/abrowser/launcher/install/browsers"
	"github.com/abrowser/abrowser/launcher/install/npm"
)

// machine is what the package depends on outside of the root: the pinned packages and the
// system. Tests replace it.
type machine struct {
	driver       npm.Package
	node         func() (npm.Package, bool)
	kinds        []browsers.Kind
	osRelease    string // the file that names the distribution
	root         bool   // this process is the superuser
	packagesLock string // held by the abrowser that installs packages of the system
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

// npm returns an installer of packages for the driver directory.
func (i *Installer) npm() *npm.Installer {
	registry := npm.PublicRegistry
	for _, name := range []string{"NPM_CONFIG_REGISTRY", "npm_config_registry", "ABROWSER_NPM_REGISTRY"} {
		if v, _ := i.lookup(name); v != "" {
			registry = strings.TrimRight(v, "/")
		}
	}
	return &npm.Installer{
		Dir: i.Root.Path("driver"), Registry: registry, Log: i.logger(),
		Progress: i.Progress, Terminal: i.Terminal, Stall: i.on().stall,
	}
}
