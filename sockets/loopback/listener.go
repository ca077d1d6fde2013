package loopback

import (
	"log/slog"
	"net"
	"sync"
)

// ownListener accepts connections of this process's user, and at most as many at the same time as
// free can hold. It closes all others.
type ownListener struct {
	net.Listener
	log  *slog.Logger
	free chan struct{} // has an element for each open connection
}

// Accept returns the next connection of this process's user.
func (l *ownListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp, ok := conn.(*net.TCPConn)
		if !ok {
			conn.Close()
			continue
		}
		if err := checkPeer(conn); err != nil {
			l.log.Warn("refused a connection", "why", err)
			conn.Close()
			continue
		}
		select {
		case l.free <- struct{}{}:
			return &ownConn{TCPConn: tcp, release: sync.OnceFunc(func() { <-l.free })}, nil
		default:
			l.log.Warn("refused a connection", "why", "too many connections are open", "limit", maxClients)
			conn.Close()
		}
	}
}

// ownConn is a connection that counts until it is closed.
type ownConn struct {
	*net.TCPConn // net/http calls its CloseWrite, so that a client can read the last response
	release      func()
}

// Close closes the connection.
func (c *ownConn) Close() error {
	defer c.release()
	return c.TCPConn.Close()
}
