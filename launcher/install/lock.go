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
	lease, err := sockets.Hold(path)
	if !errors.Is(err, wire.CodeHeld) {
		return lease, err
	}
	i.say("another abrowser is installing, waiting for it")
	return sockets.HoldWait(ctx, path)
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
