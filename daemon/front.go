package daemon

import (
	"context"

	"github.com/abrowser/abrowser/sockets/wire"
)

// front takes the lock for what needs the front tab of a window that a person sees:
// one agent of the browser has it at a time. Without windows there is none to take.
// The function that it returns gives it back, and so does this process's end.
func (t *turn) front(ctx context.Context) (release func(), err error) {
	_, l := t.known()
	if l == nil || !l.news.Windowed {
		return func() {}, nil
	}
	return t.broker.as(t.call.Agent).caller.Lock(ctx, wire.PathCapture)
}
