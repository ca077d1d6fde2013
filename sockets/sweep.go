package sockets

import (
	"errors"
	"io/fs"
	"os"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Sweep removes the sockets and aliases ([home.Root.Alias]) that killed daemons left. It
// skips sessions whose daemon is alive or is being started.
func Sweep(r home.Root) error {
	endpoints, err := r.Sessions()
	for _, e := range endpoints {
		if _, missing := os.Lstat(e.Socket); errors.Is(missing, fs.ErrNotExist) {
			continue
		}
		err = errors.Join(err, sweep(r, e))
	}
	return err
}

// sweep removes a session's stale socket and alias. Meanwhile it holds the start lock and the
// lease of the session's endpoint, so that no daemon can start.
func sweep(r home.Root, e home.Endpoint) error {
	for _, path := range []string{e.Start, e.Lock} {
		lease, err := TryAcquire(path)
		if errors.Is(err, wire.CodeHeld) {
			return nil
		}
		if err != nil {
			return err
		}
		defer lease.Close()
	}
	err := removeStale(e)
	if e.Name != "" {
		err = errors.Join(err, r.RemoveAlias(e.Name))
	}
	return err
}
