package driver

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Conn is one session's connection to a shared driver. playwright-go, which starts
// a program and speaks to it on pipes, is given Stderr as that program's standard
// error: our stand-in for Node passes the pipes on over it and ends, and the line
// carries what is written to them.
type Conn struct {
	shared  *Shared
	place   home.Endpoint
	conn    net.Conn      // frames
	pulse   *net.UnixConn // questions whether the driver lives
	pid     int
	process *os.Process
	hook    *net.UnixConn // our end of stderr
	stderr  *os.File

	broken chan struct{} // closed when no more can be carried; watch finds out why
	gone   chan struct{} // closed when the line is of no use any more
	work   sync.WaitGroup

	mu    sync.Mutex // guards the fields below
	broke bool
	over  bool
	pipes []*os.File // the program's ends
}

// dial asks the driver at the place for a line.
func (s *Shared) dial(ctx context.Context, p home.Endpoint, setup Setup) (*Conn, error) {
	conn, err := sockets.Dial(ctx, p)
	if err != nil {
		return nil, err
	}
	c := &Conn{shared: s, place: p, conn: conn, broken: make(chan struct{}), gone: make(chan struct{})}
	if err := c.enter(ctx, setup); err != nil {
		c.end()
		return nil, err
	}
	c.work.Go(c.carry)
	c.work.Go(c.watch)
	return c, nil
}

func (c *Conn) enter(ctx context.Context, setup Setup) error {
	var err error
	if c.pid, err = sockets.PeerPID(c.conn); err != nil {
		return err
	}
	// Taken while the connection is open: what it refers to is that process, or none.
	if c.process, err = os.FindProcess(c.pid); err != nil {
		return err
	}
	if _, err := io.WriteString(c.conn, "session "+setup.identity()+"\n"); err != nil {
		return err
	}
	limit := c.shared.limits().room
	if at, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(at))
	}
	switch answer, err := read(c.conn, limit); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.doubt()
		return wire.Errorf(wire.CodeWedged, "%s does not answer", c.place.Name)
	case err != nil:
		return wire.Errorf(wire.CodeNotRunning, "%s has just ended", c.place.Name)
	case answer != '+':
		return errNoRoom
	}
	second, err := sockets.Dial(ctx, c.place)
	if err != nil {
		return err
	}
	c.pulse = second.(*net.UnixConn) // a socket at a path is no other
	if _, err := io.WriteString(c.pulse, "watch\n"); err != nil {
		return err
	}
	c.hook, c.stderr, err = newHook()
	return err
}

// Stderr is what playwright-go is to give the driver as its standard error. The
// caller closes it when the program has been started.
func (c *Conn) Stderr() *os.File { return c.stderr }

// Done is closed when the line is of no use any more: it was closed, or the driver
// ended, or cut it off.
func (c *Conn) Done() <-chan struct{} { return c.gone }

// Lost reports whether the line is of no use any more. It knows of a driver's end
// as soon as the system does, which is before Done is closed.
func (c *Conn) Lost() bool {
	if c.isGone() {
		return true
	}
	raw, err := c.pulse.SyscallConn()
	if err != nil {
		return true
	}
	lost := false
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		lost = n == 0 && err == nil || errors.Is(err, unix.ECONNRESET)
	})
	return lost || err != nil
}

func (c *Conn) isGone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// PID is the driver's process.
func (c *Conn) PID() int { return c.pid }

// Close ends the line. The driver gives up what it had for it, and serves others on.
func (c *Conn) Close() {
	died := !c.isGone() && c.Lost()
	c.end()
	c.work.Wait()
	if died { // and nobody else may be left to notice
		c.shared.tidy(c.place)
	}
}

// snap tells watch that the line carries no more.
func (c *Conn) snap() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.broke {
		c.broke = true
		close(c.broken)
	}
}

// end closes everything, once, and whoever waits on it returns.
func (c *Conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	c.over = true
	close(c.gone)
	if c.conn != nil {
		_ = c.conn.Close() // nothing that was written matters any more
	}
	if c.pulse != nil {
		_ = c.pulse.Close() // as above
	}
	if c.hook != nil {
		_ = c.hook.Close() // as above
	}
	if c.process != nil {
		_ = c.process.Release() // as above
	}
	for _, p := range c.pipes {
		_ = p.Close() // as above; playwright-go reads the end of its input
	}
}

// carry takes the pipes over and carries frames between them and the driver.
func (c *Conn) carry() {
	defer c.snap()
	in, out, pid, err := receive(c.hook)
	if err != nil {
		if !c.isGone() {
			c.shared.logger().Warn("taking over the driver's pipes", "error", err)
		}
		return
	}
	_ = c.hook.Close() // it has done what it is for
	c.mu.Lock()
	c.pipes = []*os.File{in, out}
	over := c.over
	c.mu.Unlock()
	if over {
		_, _ = in.Close(), out.Close() // nobody waits for them any more
		return
	}
	// playwright-go waits for the stand-in only when it closes the driver; until then
	// it would stay in the table of processes.
	c.work.Go(func() { reap(pid) })
	var both sync.WaitGroup
	both.Go(func() {
		defer c.snap()
		_, _ = io.Copy(c.conn, in) // however it ends, the line has ended
	})
	both.Go(func() {
		defer c.snap()
		_, _ = io.Copy(out, c.conn) // as above
	})
	both.Wait()
}
