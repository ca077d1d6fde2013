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

// finalizeSession removes what a session has stored outside of the browser. The broker calls it if
// the session ended with its agent and no daemon of the session was connected. finalizeSession
// writes the HAR file if requests were recorded, and removes the stored settings. It reports
// whether the broker must close the session's tabs.
//
// A daemon of the session may be running after all. If it is idle, finalizeSession closes it. A
// busy daemon continues, since another caller uses the session now.
func finalizeSession(ctx context.Context, root home.Root, session string) (closes bool, err error) {
	place, err := root.Session(session)
	if err != nil {
		return false, err
	}
	start, err := sockets.Acquire(ctx, place.Start) // so that no daemon can start now
	if err != nil {
		return false, err
	}
	defer start.Close() // has no effect if start was closed already
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
