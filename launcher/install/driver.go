package install

import (
	"context"
	"os"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Driver is Playwright's driver, in order, and the Node that runs it.
type Driver struct {
	Directory string // with package/ in it, as playwright-go wants it
	Node      Node
}

// FindDriver returns the driver and its Node where both are in order, otherwise
// [wire.CodeNoDriver].
func (i *Installer) FindDriver(ctx context.Context) (Driver, error) {
	dir, err := i.driverDirectory(pack.check)
	if err != nil {
		return Driver{}, err
	}
	node, err := i.FindNode(ctx)
	return Driver{Directory: dir, Node: node}, err
}

// driverDirectory is where the driver lies: ABROWSER_DRIVER_PATH, a directory that
// an installation made, for machines without a registry; else the root's own.
func (i *Installer) driverDirectory(check func(pack, string) error) (string, error) {
	p := i.on().driver
	if dir, ok := i.lookup("ABROWSER_DRIVER_PATH"); ok && dir != "" {
		if err := check(p, dir); err != nil {
			return "", wire.Errorf(wire.CodeNoDriver, "ABROWSER_DRIVER_PATH: %v", err).WithHint("unset ABROWSER_DRIVER_PATH")
		}
		return dir, nil
	}
	dir := i.Root.Path("driver", p.dir)
	if err := check(p, dir); err != nil {
		return "", missing(wire.CodeNoDriver, "%s %s is not installed: %v", p.what, p.version, err)
	}
	return dir, nil
}

// provideDriver fetches driver and Node where they are missing. The caller holds
// the lock.
func (i *Installer) provideDriver(ctx context.Context) error {
	if _, err := i.driverDirectory(pack.checkAll); fetchable(err) {
		if err := i.provide(ctx, i.on().driver); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	i.forgetVersions()
	_, err := i.FindNode(ctx)
	if err == nil || !fetchable(err) {
		return err
	}
	p, ok := i.on().node()
	if !ok {
		return wire.Errorf(wire.CodeInstall, "no Node %d or newer is on PATH, and the npm registry has none for this machine", oldestNode).
			WithHint("install Node from https://nodejs.org")
	}
	return i.provide(ctx, p)
}

// executable reports whether path is a file that can be run.
func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
