package server

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// connections are the open connections of a server.
//
// When a server ends, a client may be sending a request on a connection that waits for one. If the
// server closed this connection, the client could not tell whether its request was carried out.
// [http.Server.Shutdown] closes such connections, even if it has already read a request on them.
// Therefore this server first stops receiving on them. The client can then no longer send a request,
// and knows that it was not carried out. On Linux, a request that was sent before is still read and
// answered. After that, the server reads the end of the connection and closes it.
type connections struct {
	mu      sync.Mutex        // guards the fields below
	open    map[net.Conn]bool // whether the connection waits for a request
	ending  bool
	answers chan struct{} // closed when the server ends and no connection waits for a request
	gone    chan struct{} // closed when the server ends and no connection is open
}

func newConnections() *connections {
	return &connections{open: map[net.Conn]bool{}, answers: make(chan struct{}), gone: make(chan struct{})}
}

// track is the server's [http.Server.ConnState].
func (c *connections) track(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew, http.StateIdle:
		c.open[conn] = true
		if c.ending {
			closeRead(conn)
		}
	case http.StateActive:
		c.open[conn] = false
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	}
	c.signalLocked()
}

// end has the system refuse further requests.
func (c *connections) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
	for conn, waits := range c.open {
		if waits {
			closeRead(conn)
		}
	}
	c.signalLocked()
}

func (c *connections) signalLocked() {
	if !c.ending {
		return
	}
	for _, waits := range c.open {
		if waits {
			return
		}
	}
	closeOnce(c.answers)
	if len(c.open) == 0 {
		closeOnce(c.gone)
	}
}

func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

func closeRead(conn net.Conn) {
	if c, ok := conn.(interface{ CloseRead() error }); ok {
		_ = c.CloseRead() // it fails if the client has closed the connection
	}
}

// await waits until the channel is closed or ctx ends.
func await(ctx context.Context, c <-chan struct{}) {
	select {
	case <-c:
	case <-ctx.Done():
	}
}
