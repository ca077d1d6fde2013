package install

import (
	"context"
	"errors"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// lock takes the lock that lies around every change below the driver directory.
func (i *Installer) lock(ctx context.Context) (*sockets.Lease, error) {
	path := i.Root.Path("driver", "install.lock")
	lease, err := sockets.TryAcquire(path)
	if !errors.Is(err, wire.CodeHeld) {
		return lease, err
	}
	i.say("another abrowser is installing, waiting for it")
	return sockets.Acquire(ctx, path)
}

// lockPackages waits until no abrowser of another root has the system's packages
// installed. apt's own locks are not enough: an update throws away the archives that
// an install has fetched and not yet unpacked, where it is told to keep none.
func (i *Installer) lockPackages(ctx context.Context) (unlock func(), err error) {
	path := i.on().packages
	lease, err := sockets.TryAcquire(path)
	if errors.Is(err, wire.CodeHeld) {
		i.say("another abrowser is installing packages, waiting for it")
		ctx, cancel := context.WithTimeout(ctx, lockTime)
		defer cancel()
		if lease, err = sockets.Acquire(ctx, path); ctx.Err() != nil {
			return nil, err
		}
	}
	if err != nil { // it keeps others out, and is not what an install fails for
		i.logger().Warn("locking the system's packages", "error", err)
		return func() {}, nil
	}
	return func() { _ = lease.Close() }, nil // closing is what gives it up
}

// fetchable reports whether err is of a part that can be fetched, and not of one
// that the caller named.
func fetchable(err error) bool {
	var coded *wire.Error
	return errors.As(err, &coded) && coded.Details[detailFetchable] == true
}

// detailFetchable marks the error of a missing part that installing mends.
const detailFetchable = "installable"

// missing is the error of a part that installing mends.
func missing(code wire.Code, format string, args ...any) error {
	return wire.Errorf(code, format, args...).WithHint("abrowser install").With(detailFetchable, true)
}
