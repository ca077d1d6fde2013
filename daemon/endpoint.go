package daemon

import (
	"context"
	"crypto/rand"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// endpoint returns the session's endpoint at a broker. The parameter place is where the broker
// listens. Each call returns an Endpoint with a new Party, so use an Endpoint for one connection
// only.
func (s *Session) endpoint(place home.Endpoint) (Endpoint, error) {
	socket, err := s.alias(place)
	party := rand.Text()
	return Endpoint{
		Place: place, Socket: socket, Party: party,
		Path: wire.PathSession + s.Name + "?" + wire.ParamParty + "=" + party,
	}, err
}

// alias returns a path to the broker's socket that needs no escapes in a URL.
func (s *Session) alias(place home.Endpoint) (string, error) {
	s.aliasing.Lock()
	defer s.aliasing.Unlock()
	return s.Root.Alias(s.Name, place.Socket)
}

// HoldFront acquires the broker's lock for operations on the front tab, which is the tab that a
// visible window shows. There is one lock for the commands of all sessions, and one command at a
// time holds it. The returned function releases the lock. The end of this process also releases
// it. If there is no connection, or if the browser has no visible windows, HoldFront acquires
// nothing and returns no error.
func (c *Call) HoldFront(ctx context.Context) (release func(), err error) {
	conn := c.current()
	if conn == nil || !conn.news.Windowed {
		return func() {}, nil
	}
	return c.Broker.asAgent(c.request.Agent).caller.Lock(ctx, wire.PathCapture)
}
