package loopback

import (
	"log/slog"
	"net"
	"sync"
)

// ownListener accepts connections from processes of this process's user, up to a limit of open
// connections. It closes all other connections.
type ownListener struct {
	net.Listener
	log   *slog.Logger
	slots chan struct{} // has an element for each open connection; its capacity is the limit
}

// Own returns a listener on a loopback address that accepts connections from processes of this
// process's user only, and at most limit of them at a time. It closes all other connections. The
// parameter log may not be nil.
func Own(l net.Listener, limit int, log *slog.Logger) net.Listener {
	return &ownListener{Listener: l, log: log, slots: make(chan struct{}, limit)}
}

// Accept returns the next connection from a process of this process's user that does not exceed the
// limit.
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
		case l.slots <- struct{}{}:
			return &ownConn{TCPConn: tcp, release: sync.OnceFunc(func() { <-l.slots })}, nil
		default:
			l.log.Warn("refused a connection", "why", "too many connections are open", "limit", cap(l.slots))
			conn.Close()
		}
	}
}

// ownConn is a connection that occupies a slot of an [ownListener] until it is closed.
type ownConn struct {
	*net.TCPConn // net/http calls its CloseWrite, so that a client can read the last response
	release      func()
}

// Close closes the connection and frees its slot.
func (c *ownConn) Close() error {
	defer c.release()
	return c.TCPConn.Close()
}
