package install

import (
	"context"
	"errors"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// lock takes the lock at path. If another process has the lock, it tells the user and waits.
func (i *Installer) lock(ctx context.Context, path, what string) (*sockets.Lease, error) {
	lease, err := sockets.TryAcquire(path)
	if !errors.Is(err, wire.CodeHeld) {
		return lease, err
	}
	i.say("another abrowser is installing %s, waiting for it", what)
	return sockets.Acquire(ctx, path)
}

// lockPackages waits until no abrowser with another root installs packages of the system, and
// returns a function that releases the lock. apt's own locks do not suffice: if apt keeps no
// archives, an update deletes archives that an install has downloaded and not yet unpacked.
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
	// Without the lock, two installations may disturb each other. That is no reason to fail.
	i.logger().Warn("locking the system's packages", "error", err)
	return func() {}, nil
}
