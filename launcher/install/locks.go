package install

import (
	"context"
	"errors"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// lock acquires the lock at path. If another process has the lock, the function lock shows the
// user a message and waits.
func (i *Installer) lock(ctx context.Context, path, what string) (*sockets.Lease, error) {
	lease, err := sockets.TryAcquire(path)
	if !errors.Is(err, wire.CodeHeld) {
		return lease, err
	}
	i.say("another abrowser is installing %s, waiting for it", what)
	return sockets.Acquire(ctx, path)
}

// lockPackages acquires the lock on the installation of the system's packages, which all abrowsers
// of this machine share, whatever their root directories are. It returns a function that releases
// the lock. apt's own locks do not suffice. If apt is configured to keep no archives, an update
// deletes the archives that another apt-get has downloaded for an install and not yet unpacked.
func (i *Installer) lockPackages(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, aptLockTimeout)
	defer cancel()
	lease, err := i.lock(ctx, i.on().packagesLock, "packages")
	switch {
	case err == nil:
		return func() { _ = lease.Close() }, nil // this releases the lock
	case ctx.Err() != nil:
		return nil, err
	}
	// The lock file cannot be used. Two installations may now disturb each other, but that is no
	// reason to refuse this one.
	i.logger().Warn("locking the system's packages", "error", err)
	return func() {}, nil
}
