package commands

import (
	"sync"

	"github.com/abrowser/abrowser/client"
)

// Connections keeps the connections of one command open for the next command of the same process.
// The zero value is ready to use.
type Connections struct {
	mu   sync.Mutex // guards kept
	kept map[string]*client.Client
}

// Close closes all connections.
func (c *Connections) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.kept {
		_ = one.Close() // the connections are idle, so an error loses nothing
	}
	c.kept = nil
}

// clientFor returns a client that sends requests as the given client does, over the kept
// connections.
func (c *Connections) clientFor(caller client.Client) *client.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[string]*client.Client{}
	}
	socket := caller.Endpoint.Socket
	if c.kept[socket] == nil {
		c.kept[socket] = caller.KeepAlive()
	}
	one := *c.kept[socket] // shares the connections
	one.Endpoint, one.Session, one.Build, one.Agent = caller.Endpoint, caller.Session, caller.Build, caller.Agent
	one.OwnerProcess, one.Settings = caller.OwnerProcess, caller.Settings
	return &one
}

// dial returns a client that sends requests as the given client does, and a function to call after
// the last request.
func (r *Runner) dial(caller client.Client) (c *client.Client, done func()) {
	if r.connections != nil {
		return r.connections.clientFor(caller), func() {}
	}
	c = caller.KeepAlive()
	return c, func() { _ = c.Close() } // the connections are idle, so an error loses nothing
}
