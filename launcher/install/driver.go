package install

import (
	"context"

	"github.com/abrowser/abrowser/launcher/install/npm"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Driver is Playwright's driver and the Node that runs it.
type Driver struct {
	Directory string // it contains package/, as playwright-go requires
	Node      Node
}

// FindDriver returns the driver and the Node that runs it. If one of them is not installed or not
// complete, the error is [wire.CodeNoDriver].
func (i *Installer) FindDriver(ctx context.Context) (Driver, error) {
	dir, err := i.driverDirectory(npm.Package.Check)
	if err != nil {
		return Driver{}, err
	}
	node, err := i.FindNode(ctx)
	return Driver{Directory: dir, Node: node}, err
}

// driverDirectory returns the directory of the driver, if check() accepts it. This is the directory
// that ABROWSER_DRIVER_PATH names. If the variable is not set, it is the directory below the root
// into which fetchDriver installs the driver. The variable is for machines that cannot reach a
// registry; it names a copy of an installed driver.
func (i *Installer) driverDirectory(check func(npm.Package, string) error) (string, error) {
	p := i.on().driver
	if dir, _ := i.lookup("ABROWSER_DRIVER_PATH"); dir != "" {
		if err := check(p, dir); err != nil {
			return "", wire.Errorf(wire.CodeNoDriver, "ABROWSER_DRIVER_PATH: %v", err).WithHint("unset ABROWSER_DRIVER_PATH")
		}
		return dir, nil
	}
	dir := i.Root.Path("driver", p.Dir)
	if err := check(p, dir); err != nil {
		return "", missing(wire.CodeNoDriver, "%s %s is not installed: %v", p.What, p.Version, err)
	}
	return dir, nil
}

// fetchDriver fetches the driver and Node if they are missing. The caller holds the
// installation lock.
func (i *Installer) fetchDriver(ctx context.Context) error {
	_, err := i.driverDirectory(npm.Package.CheckAll)
	if isFetchable(err) {
		err = i.npm().Install(ctx, i.on().driver)
	}
	if err != nil {
		return err
	}
	i.forgetVersions()
	if _, err = i.FindNode(ctx); !isFetchable(err) {
		return err
	}
	p, ok := i.on().node()
	if !ok {
		return wire.Errorf(wire.CodeInstall, "no Node %d or newer is on PATH, and the npm registry has none for this machine", oldestNode).
			WithHint("install Node from https://nodejs.org")
	}
	return i.npm().Install(ctx, p)
}
