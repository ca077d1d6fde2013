package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// ContextError returns an error with a code that says why ctx is done.
func ContextError(ctx context.Context) error {
	cause := context.Cause(ctx)
	var coded *wire.Error
	switch {
	case errors.As(cause, &coded):
		return coded
	case errors.Is(cause, context.DeadlineExceeded):
		return wire.Errorf(wire.CodeTimeout, "deadline of the caller passed")
	default:
		return wire.Errorf(wire.CodeInterrupted, "command cancelled: the caller disconnected")
	}
}

// TimeLeft returns the time until the deadline of ctx. It returns at most longest, and at least
// 10 ms, which is the time that a call needs to fail by itself.
func TimeLeft(ctx context.Context, longest time.Duration) time.Duration {
	if at, ok := ctx.Deadline(); ok {
		longest = min(longest, time.Until(at))
	}
	return max(longest, 10*time.Millisecond)
}

// Sleep waits for d and returns true. If ctx is done before the end of d, it returns false at once.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// IsClosed reports whether a channel is closed. The channel must be one on which nothing is sent.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// replace puts newest into a channel with a buffer of one. If the buffer has a value, newest
// takes its place.
func replace[T any](c chan T, newest T) {
	for {
		select {
		case c <- newest:
			return
		case <-c:
		}
	}
}
