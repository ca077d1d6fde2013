package sockets

import (
	"errors"
	"io/fs"
	"os"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Sweep removes the sockets and aliases that killed daemons left. It leaves those of a
// session alone whose daemon lives or is being started.
func Sweep(r home.Root) error {
	places, err := r.Sessions()
	for _, p := range places {
		if _, missing := os.Lstat(p.Socket); errors.Is(missing, fs.ErrNotExist) {
			continue
		}
		err = errors.Join(err, sweep(r, p))
	}
	return err
}

// sweep holds both locks of a session's daemon, so that none starts meanwhile.
func sweep(r home.Root, p home.Endpoint) error {
	for _, path := range []string{p.Start, p.Lock} {
		lease, err := TryAcquire(path)
		if errors.Is(err, wire.CodeHeld) {
			return nil
		}
		if err != nil {
			return err
		}
		defer lease.Close()
	}
	err := removeStale(p)
	if p.Name != "" {
		err = errors.Join(err, r.RemoveAlias(p.Name))
	}
	return err
}
