package driver

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Conn is one session's connection to a shared driver. playwright-go starts a program and
// communicates with it through pipes. This program is our own executable. It gets Stderr as
// its standard error, passes the pipes to the Conn through it, and exits. The Conn copies
// between the pipes and the driver.
type Conn struct {
	shared   *Shared
	endpoint home.Endpoint
	frames   net.Conn
	probe    *net.UnixConn // used by the watchdog
	pid      int
	process  *os.Process
	handoff  *net.UnixConn // our end of the socket pair of stderr
	stderr   *os.File

	broken     chan struct{} // closed when copying has ended; the watchdog then finds the reason
	markBroken func()        // closes broken
	work       sync.WaitGroup

	mu        sync.Mutex    // guards the fields below
	done      chan struct{} // closed when the Conn is closed; reading it needs no lock
	resources []func() error
}

// dial connects to the driver at p and opens a session there.
func (s *Shared) dial(ctx context.Context, p home.Endpoint, setup Setup) (*Conn, error) {
	frames, err := sockets.Dial(ctx, p)
	if err != nil {
		return nil, err
	}
	c := &Conn{shared: s, endpoint: p, frames: frames, broken: make(chan struct{}), done: make(chan struct{}), resources: []func() error{frames.Close}}
	c.markBroken = sync.OnceFunc(func() { close(c.broken) })
	if err := c.open(ctx, setup); err != nil {
		c.shutdown()
		return nil, err
	}
	c.work.Go(c.carry)
	c.work.Go(c.watchdog)
	return c, nil
}

func (c *Conn) open(ctx context.Context, setup Setup) error {
	var err error
	if c.pid, err = sockets.PeerPID(c.frames); err != nil {
		return err
	}
	// While the connection is open, no other process can have this pid.
	if c.process, err = os.FindProcess(c.pid); err != nil {
		return err
	}
	c.resources = append(c.resources, c.process.Release)
	if _, err := io.WriteString(c.frames, "session "+setup.identity()+"\n"); err != nil {
		return err
	}
	limit := roomTimeout
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline))
	}
	switch reply, err := readByte(c.frames, limit); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.waitOrKill()
		return wire.Errorf(wire.CodeWedged, "%s does not answer", c.endpoint.Name)
	case err != nil:
		return wire.Errorf(wire.CodeNotRunning, "%s has just exited", c.endpoint.Name)
	case reply != '+':
		return errNoRoom
	}
	probe, err := sockets.Dial(ctx, c.endpoint)
	if err != nil {
		return err
	}
	c.probe = probe.(*net.UnixConn) // the socket has a path
	c.resources = append(c.resources, probe.Close)
	if _, err := io.WriteString(probe, "watch\n"); err != nil {
		return err
	}
	if c.handoff, c.stderr, err = newHandoff(); err == nil {
		c.resources = append(c.resources, c.handoff.Close)
	}
	return err
}

// Stderr returns the file that playwright-go must give the program as its standard error.
// The caller closes the file after the program has been started.
func (c *Conn) Stderr() *os.File { return c.stderr }

// Done returns a channel that is closed when the connection is closed: by Close, by the
// driver, or because the driver exited.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Lost reports whether the connection is closed. It detects the exit of the driver before
// Done does, as soon as the system has closed the driver's end.
func (c *Conn) Lost() bool { return isClosed(c.done) || sockets.HungUp(c.probe) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// PID returns the pid of the driver.
func (c *Conn) PID() int { return c.pid }

// Close closes the connection. The driver discards this session's state and continues to
// serve the others.
func (c *Conn) Close() {
	exited := !isClosed(c.done) && c.Lost()
	c.shutdown()
	c.work.Wait()
	if exited { // there may be no other session that notices the exit
		c.shared.cleanUp(c.endpoint)
	}
}

// shutdown closes everything, so that all goroutines return. Only the first call has an
// effect. Errors of closing do not matter: nothing that was written is needed any more.
func (c *Conn) shutdown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if isClosed(c.done) {
		return
	}
	close(c.done)
	for _, release := range c.resources {
		_ = release()
	}
}

// carry receives the pipes and copies frames between them and the driver.
func (c *Conn) carry() {
	defer c.markBroken()
	in, out, pid, err := receivePipes(c.handoff)
	if err != nil {
		if !isClosed(c.done) {
			c.shared.logger().Warn("receiving the driver's pipes", "error", err)
		}
		return
	}
	_ = c.handoff.Close() // not needed any more
	c.mu.Lock()
	// playwright-go reads the end of its input when the pipes are closed.
	c.resources = append(c.resources, in.Close, out.Close)
	closed := isClosed(c.done)
	c.mu.Unlock()
	if closed {
		_, _ = in.Close(), out.Close() // shutdown ran before in and out were in resources
		return
	}
	// playwright-go waits for the program only when it stops the driver. Until then the
	// program would be a zombie.
	if program, err := os.FindProcess(pid); err == nil {
		c.work.Go(func() { _, _ = program.Wait() }) // fails if playwright-go has waited first
	}
	var both sync.WaitGroup
	both.Go(func() {
		defer c.markBroken()
		_, _ = io.Copy(c.frames, in) // whatever ends the copying, the connection is broken
	})
	both.Go(func() {
		defer c.markBroken()
		_, _ = io.Copy(out, c.frames) // whatever ends the copying, the connection is broken
	})
	both.Wait()
}
