package client

import (
	"context"
	"errors"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// line is a connection and what is read from it.
type line struct {
	conn    net.Conn
	answers *answers
}

// exchange sends q and reads the answer. It does without http.Transport, which
// cannot say whether a request was sent before its connection was lost, and which
// costs two goroutines a call.
func (c *Client) exchange(ctx context.Context, q question) (answer, error) {
	message, err := c.message(ctx, q)
	if err != nil {
		return answer{}, err
	}
	l, err := c.line(ctx)
	if err != nil {
		return answer{}, err
	}
	stop := context.AfterFunc(ctx, func() { l.leave(ctx, q) })
	var a answer
	defer func() {
		if stop() && a.keep && c.kept != nil {
			c.kept.put(l)
			return
		}
		l.conn.Close()
	}()
	// In one piece: a request of which a part is missing is never acted on, so an error
	// means that nothing was done.
	if _, err := l.conn.Write(message); err != nil {
		return answer{}, c.unsent(ctx, q, err)
	}
	if a, err = l.answers.next(); err != nil {
		return answer{}, c.unanswered(ctx, q, err)
	}
	return a, nil
}

// leaveTime is how long a caller that has cancelled a request waits for the answer.
const leaveTime = 3 * time.Second

// leave tells the server that the caller leaves, which cancels the request. If the request
// may change something, the answer is still read, since it says whether it did. A deadline
// or a cause says that no answer is waited for.
func (l *line) leave(ctx context.Context, q question) {
	conn, ok := l.conn.(interface{ CloseWrite() error })
	if !ok || q.reads || !errors.Is(context.Cause(ctx), context.Canceled) {
		_ = l.conn.SetDeadline(time.Unix(1, 0))
		return
	}
	_ = l.conn.SetReadDeadline(time.Now().Add(leaveTime))
	_ = l.conn.SetWriteDeadline(time.Unix(1, 0)) // a request that is not sent by now is not sent
	_ = conn.CloseWrite()
}

// line is a kept connection that still lives, or a new one.
func (c *Client) line(ctx context.Context) (*line, error) {
	if l := c.keptLine(); l != nil {
		return l, nil
	}
	conn, err := sockets.Dial(ctx, c.Endpoint)
	if err != nil {
		return nil, err
	}
	return &line{conn: conn, answers: newAnswers(conn)}, nil
}

// IsConnected reports whether a connection of an earlier call is still open, without
// asking: the process on its other end has neither ended nor hung up. It says
// nothing where none was kept.
func (c *Client) IsConnected() bool {
	l := c.keptLine()
	if l != nil {
		c.kept.put(l)
	}
	return l != nil
}

// keptLine takes a kept connection that still lives, nil where there is none.
func (c *Client) keptLine() *line {
	if c.kept == nil {
		return nil
	}
	for l := c.kept.take(); l != nil; l = c.kept.take() {
		if l.silent() {
			return l
		}
		l.conn.Close()
	}
	return nil
}

// silent reports whether the peer neither hung up nor spoke unasked.
func (l *line) silent() bool {
	unixConn, ok := l.conn.(syscall.Conn)
	if !ok || l.answers.text.R.Buffered() > 0 {
		return false
	}
	raw, err := unixConn.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	err = raw.Read(func(fd uintptr) bool {
		_, _, err := unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
		quiet = errors.Is(err, unix.EAGAIN)
		return true
	})
	return err == nil && quiet
}

func (c *Client) unsent(ctx context.Context, q question, err error) error {
	if ctx.Err() != nil {
		return wire.ContextError(ctx, "sending "+q.path)
	}
	return wire.Errorf(wire.CodeNotRunning, "%s hung up before %s was sent: %v", c.Endpoint.Socket, q.path, wire.Errno(err))
}

func (c *Client) unanswered(ctx context.Context, q question, err error) error {
	var coded *wire.Error
	switch {
	case errors.As(err, &coded):
		return err
	case ctx.Err() != nil && q.reads:
		return wire.ContextError(ctx, "waiting for the answer to "+q.path)
	case errors.Is(ctx.Err(), context.Canceled):
		return wire.Errorf(wire.CodeResultUnknown, "no answer to %s came after it was interrupted: it may or may not have been done", q.path).
			WithHint("abrowser snapshot shows how the page is")
	case ctx.Err() != nil:
		return wire.Errorf(wire.CodeResultUnknown, "no answer to %s came in time: it may or may not have been done", q.path).
			WithHint("abrowser status shows how the session is")
	case q.reads:
		return wire.Errorf(wire.CodeNotRunning, "%s hung up before it answered %s: %v", c.Endpoint.Socket, q.path, wire.Errno(err))
	}
	return wire.Errorf(wire.CodeResultUnknown, "the connection was lost before %s was answered: it may or may not have been done", q.path).
		WithHint("abrowser snapshot shows how the page is")
}

// kept holds connections between calls.
type kept struct {
	mu     sync.Mutex // guards the fields below
	idle   []*line
	closed bool
}

const maxKept = 4

func (k *kept) take() *line {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.idle) == 0 {
		return nil
	}
	last := len(k.idle) - 1
	l := k.idle[last]
	k.idle = k.idle[:last]
	return l
}

func (k *kept) put(l *line) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed || len(k.idle) >= maxKept {
		l.conn.Close()
		return
	}
	k.idle = append(k.idle, l)
}

func (k *kept) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range k.idle {
		l.conn.Close()
	}
	k.idle, k.closed = nil, true
}
