package behind

import (
	"context"
	"errors"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// bury ends what a session has kept, which ended with its agent when no daemon was
// connected for it: what was recorded is written, what was set is forgotten. It
// reports whether its tabs are to be closed. A daemon that runs after all and has
// nothing to do ends as by close; one that has, is somebody's by now.
func bury(ctx context.Context, root home.Root, session string) (closes bool, err error) {
	place, err := root.Session(session)
	if err != nil {
		return false, err
	}
	start, err := sockets.Acquire(ctx, place.Start) // so that none starts meanwhile
	if err != nil {
		return false, err
	}
	defer start.Close()
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
	return closes, errors.Join(written, root.Forget(session), sockets.Unlink(place, lease), lease.Close())
}
