package sockets

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// probeInterval is the time between two connection attempts of [Await] if Await cannot watch
// the socket's directory. If Await can watch it, Await tries to connect as soon as the socket
// file appears. This attempt may fail, because the file appears when the server binds the
// socket, and the server listens only after that. Await then tries again after probeInterval,
// and doubles the interval after each further attempt.
const probeInterval = 10 * time.Millisecond

// Await blocks until the endpoint's socket accepts connections or ctx ends. If ctx ends first,
// Await returns [wire.CodeTimeout] or [wire.CodeInterrupted]. If [Dial] fails with any other code
// than [wire.CodeNotRunning], Await returns that error at once.
//
// Await watches the directory of the socket. If the directory cannot be watched, for example
// because the user has no inotify instance left (Linux allows 128 by default), Await polls instead.
func Await(ctx context.Context, e home.Endpoint) error { return await(ctx, e, watch) }

func await(ctx context.Context, e home.Endpoint, watch func(dir string) (*fsnotify.Watcher, error)) error {
	var events chan fsnotify.Event
	var lost chan error // an element means that the watcher has lost events
	interval := probeInterval
	probe := time.NewTimer(interval)
	defer probe.Stop()
	if watcher, err := watch(filepath.Dir(e.Socket)); err == nil {
		defer watcher.Close()
		events, lost = watcher.Events, watcher.Errors
		probe.Stop()
	}
	for {
		if done, err := accepts(ctx, e); done {
			return err
		}
		for woken := false; !woken; {
			select {
			case event, ok := <-events:
				if !ok {
					events, lost = nil, nil
				}
				if woken = !ok || event.Name == e.Socket && !event.Has(fsnotify.Remove); woken {
					interval = probeInterval
					probe.Reset(interval)
				}
			case <-lost:
				woken = true
			case <-probe.C:
				woken = true
				if events != nil {
					interval *= 2
				}
				probe.Reset(interval)
			case <-ctx.Done():
				return awaitError(ctx, e)
			}
		}
	}
}

func watch(dir string) (*fsnotify.Watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if err := w.Add(dir); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// accepts tries to connect once. If no process listens, it returns false, and Await tries again.
// Otherwise it returns true and the error that Await returns, which is nil if a server accepted the
// connection.
func accepts(ctx context.Context, e home.Endpoint) (bool, error) {
	conn, err := Dial(ctx, e)
	switch {
	case err == nil:
		return true, conn.Close()
	case ctx.Err() != nil:
		return true, awaitError(ctx, e)
	}
	return !errors.Is(err, wire.CodeNotRunning), err
}

func awaitError(ctx context.Context, e home.Endpoint) error {
	err := wire.AsError(wire.ContextError(ctx, "waiting for a server at "+e.Socket))
	return err.WithHint("its log is %s", e.Log)
}
