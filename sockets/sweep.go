package sockets

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Sweep removes the sockets, lock files and aliases ([home.Root.Alias]) that killed daemons have
// left. It skips sessions whose daemon is alive or is being started.
func Sweep(r home.Root) error {
	endpoints, err := r.Sessions()
	for _, e := range endpoints {
		err = errors.Join(err, sweep(r, e))
	}
	return err
}

// SweepSession does the work of [Sweep] for one session.
func SweepSession(r home.Root, session string) error {
	e, err := r.Session(session)
	if err != nil {
		return err
	}
	return sweep(r, e)
}

// sweep removes the files of a session's daemon. It first locks both lock files of the session's
// endpoint, so that no daemon can start meanwhile. If another process has locked one of the two,
// sweep removes nothing.
func sweep(r home.Root, e home.Endpoint) error {
	for _, path := range []string{e.Start, e.Lock} {
		if _, err := os.Lstat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		lease, err := TryAcquire(path)
		if errors.Is(err, wire.CodeHeld) {
			return nil
		}
		if err != nil {
			return err
		}
		defer lease.Close()
	}
	err := errors.Join(removeStale(e), remove(e.Lock), remove(e.Start))
	if e.Name != "" {
		err = errors.Join(err, r.RemoveAlias(e.Name))
	}
	return err
}
