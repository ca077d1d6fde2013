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

// Conn is one session's connection to a shared driver. playwright-go starts a program, which it
// takes for the driver, and exchanges messages with it through the program's standard input and
// output. The program is our own executable. Its standard error is the file [Conn.Stderr], a
// socket. Through this socket, the program passes the descriptors of its standard input and
// output to the Conn. Then the program exits. From then on the Conn copies messages between
// these two pipes and the driver.
type Conn struct {
	shared   *Shared
	endpoint home.Endpoint
	frames   net.Conn      // to the driver, for playwright-go's messages
	probe    *net.UnixConn // to the driver, for the watchdog's pings
	pid      int           // the driver's
	process  *os.Process   // the driver's
	handoff  *net.UnixConn // our end of a socket pair, whose other end is stderr
	stderr   *os.File

	broken     chan struct{} // closed when copying has ended; the watchdog then finds out why
	markBroken func()        // closes broken
	work       sync.WaitGroup

	mu        sync.Mutex    // guards the fields below
	done      chan struct{} // closed when the Conn is closed; receiving from it needs no lock
	resources []func() error
}

// dial connects to the driver at the endpoint p and opens a session there.
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
	// No other process can have this pid while the driver has its end of the connection open. If
	// the driver has exited, the steps below fail and do not use the process.
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
	c.probe = probe.(*net.UnixConn) // Dial connects to Unix sockets only
	c.resources = append(c.resources, probe.Close)
	if _, err := io.WriteString(probe, "watch\n"); err != nil {
		return err
	}
	if c.handoff, c.stderr, err = newHandoff(); err == nil {
		c.resources = append(c.resources, c.handoff.Close)
	}
	return err
}

// Stderr returns the file that must be the standard error of the program that playwright-go
// starts. The caller closes the file after the program has been started.
func (c *Conn) Stderr() *os.File { return c.stderr }

// Done returns a channel that is closed when the connection is closed. Close and the driver can
// close the connection. It is also closed when the driver exits, and when playwright-go closes
// its pipes.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Lost reports whether either side has closed the connection. If the driver exits, Lost returns
// true as soon as the system has closed the driver's end. This is a moment before the channel of
// Done is closed.
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
// serve its other sessions.
func (c *Conn) Close() {
	exited := !isClosed(c.done) && c.Lost()
	c.shutdown()
	c.work.Wait()
	if exited { // there may be no other session that notices the exit
		c.shared.cleanUp(c.endpoint)
	}
}

// shutdown closes done and all resources, so that all goroutines of the Conn return. Only the
// first call has an effect. Errors of closing do not matter, because nothing that was written
// is needed any more.
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

// carry receives the descriptors of the program's standard input and output, and copies messages
// between these pipes and the driver until the connection is broken.
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
	// When shutdown closes the pipes, playwright-go reads EOF.
	c.resources = append(c.resources, in.Close, out.Close)
	closed := isClosed(c.done)
	c.mu.Unlock()
	if closed {
		_, _ = in.Close(), out.Close() // shutdown ran before in and out were in resources
		return
	}
	// playwright-go calls Wait for the program only when it stops the driver. Without the Wait
	// here, the program would be a zombie until then.
	if program, err := os.FindProcess(pid); err == nil {
		c.work.Go(func() { _, _ = program.Wait() }) // fails if playwright-go has waited first
	}
	var both sync.WaitGroup
	both.Go(func() {
		defer c.markBroken()
		_, _ = io.Copy(c.frames, in) // with or without an error, the connection is broken
	})
	both.Go(func() {
		defer c.markBroken()
		_, _ = io.Copy(out, c.frames) // with or without an error, the connection is broken
	})
	both.Wait()
}
