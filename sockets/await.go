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

// settle is how long after its file appeared a socket is asked again, and twice as
// long the next time: it is bound, which can be seen, before it listens, which
// cannot everywhere.
const settle = 10 * time.Millisecond

// Await blocks until the place's socket accepts, or ctx ends.
func Await(ctx context.Context, p home.Endpoint) error {
	watcher, err := watch(filepath.Dir(p.Socket))
	if err != nil {
		return awaitByAsking(ctx, p)
	}
	defer watcher.Close()
	pause := settle
	again := time.NewTimer(pause)
	again.Stop()
	defer again.Stop()
	for {
		if done, err := accepts(ctx, p); done {
			return err
		}
		for woken := false; !woken; {
			select {
			case e, ok := <-watcher.Events:
				if !ok {
					return awaitByAsking(ctx, p)
				}
				if woken = e.Name == p.Socket && !e.Has(fsnotify.Remove); woken {
					pause = settle
					again.Reset(pause)
				}
			case <-watcher.Errors: // events were lost
				woken = true
			case <-again.C:
				woken = true
				pause *= 2
				again.Reset(pause)
			case <-ctx.Done():
				return notYet(ctx, p)
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

// awaitByAsking is for machines that have no watch left to give (Linux allows a
// user 128 by default).
func awaitByAsking(ctx context.Context, p home.Endpoint) error {
	tick := time.NewTicker(settle)
	defer tick.Stop()
	for {
		if done, err := accepts(ctx, p); done {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return notYet(ctx, p)
		}
	}
}

// accepts reports whether waiting is over: somebody listens, or something else
// than nobody's listening is wrong.
func accepts(ctx context.Context, p home.Endpoint) (bool, error) {
	conn, err := Dial(ctx, p)
	switch {
	case err == nil:
		return true, conn.Close()
	case ctx.Err() != nil:
		return true, notYet(ctx, p)
	}
	return !errors.Is(err, wire.CodeNotRunning), err
}

func notYet(ctx context.Context, p home.Endpoint) error {
	err := wire.AsError(wire.ContextError(ctx, "waiting until somebody listens at "+p.Socket))
	return err.WithHint("its log is %s", p.Log)
}
