package client

import (
	"sync"
	"syscall"

	"github.com/abrowser/abrowser/sockets"
)

// maxIdle is the maximum number of idle connections that a client keeps.
const maxIdle = 4

// pool holds the idle connections of a client.
type pool struct {
	mu     sync.Mutex // guards the fields below
	idle   []*connection
	closed bool
}

// pooled removes an idle connection from the pool and returns it. It closes and skips
// connections that the server has closed. It returns nil if no usable connection is left.
func (c *Client) pooled() *connection {
	if c.pool == nil {
		return nil
	}
	for conn := c.pool.take(); conn != nil; conn = c.pool.take() {
		if conn.isIdle() {
			return conn
		}
		conn.Close()
	}
	return nil
}

func (p *pool) take() *connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	last := len(p.idle) - 1
	conn := p.idle[last]
	p.idle = p.idle[:last]
	return conn
}

func (p *pool) put(conn *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) >= maxIdle {
		conn.Close()
		return
	}
	p.idle = append(p.idle, conn)
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.idle {
		conn.Close()
	}
	p.idle, p.closed = nil, true
}

// isIdle reports whether the server has neither closed the connection nor sent anything after
// its last response.
func (c *connection) isIdle() bool {
	conn, ok := c.Conn.(syscall.Conn)
	return ok && c.responses.text.R.Buffered() == 0 && sockets.IsIdle(conn)
}
