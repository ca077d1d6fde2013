package roles

import (
	"context"
	"errors"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// finalizeSession removes the state of a session that ended with its agent while no daemon of the
// session was connected to the broker. It writes the HAR that was recorded, and removes the stored
// settings. It reports whether the broker must close the session's tabs. If a daemon runs
// nevertheless, finalizeSession closes it if it is idle. It leaves a busy daemon alone, since
// another caller uses the session by then.
func finalizeSession(ctx context.Context, root home.Root, session string) (closes bool, err error) {
	place, err := root.Session(session)
	if err != nil {
		return false, err
	}
	start, err := sockets.Acquire(ctx, place.Start) // keeps a daemon from starting meanwhile
	if err != nil {
		return false, err
	}
	defer start.Close() // no effect if it is closed already
	lease, err := sockets.TryAcquire(place.Lock)
	if errors.Is(err, wire.CodeHeld) {
		caller := client.Client{Endpoint: place, Session: session}
		if hello, err := caller.Hello(ctx); err != nil || !hello.Idle {
			return false, err
		}
		_, err := caller.Call(ctx, verbs.Close.Spec, verbs.CloseIn{})
		return false, err
	}
	if err != nil {
		return false, err
	}
	closes = closesAtEnd(root, session)
	_, written := finishRecording(root, session)
	return closes, errors.Join(written, root.Forget(session), sockets.Unlink(place, lease), lease.Close(), start.Close(), sockets.SweepSession(root, session))
}
