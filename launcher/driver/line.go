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

// Line is one session's connection to a shared driver. playwright-go, which starts
// a program and speaks to it on pipes, is given Stderr as that program's standard
// error: our stand-in for Node passes the pipes on over it and ends, and the line
// carries what is written to them.
type Line struct {
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

// connect asks the driver at the place for a line.
func (s *Shared) connect(ctx context.Context, p home.Endpoint, setup Setup) (*Line, error) {
	conn, err := sockets.Dial(ctx, p)
	if err != nil {
		return nil, err
	}
	l := &Line{shared: s, place: p, conn: conn, broken: make(chan struct{}), gone: make(chan struct{})}
	if err := l.enter(ctx, setup); err != nil {
		l.end()
		return nil, err
	}
	l.work.Go(l.carry)
	l.work.Go(l.watch)
	return l, nil
}

func (l *Line) enter(ctx context.Context, setup Setup) error {
	var err error
	if l.pid, err = sockets.PeerPID(l.conn); err != nil {
		return err
	}
	// Taken while the connection is open: what it refers to is that process, or none.
	if l.process, err = os.FindProcess(l.pid); err != nil {
		return err
	}
	if _, err := io.WriteString(l.conn, "session "+setup.identity()+"\n"); err != nil {
		return err
	}
	limit := l.shared.limits().room
	if at, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(at))
	}
	switch answer, err := read(l.conn, limit); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		l.doubt()
		return wire.Errorf(wire.CodeWedged, "%s does not answer", l.place.Name)
	case err != nil:
		return wire.Errorf(wire.CodeNotRunning, "%s has just ended", l.place.Name)
	case answer != '+':
		return errNoRoom
	}
	second, err := sockets.Dial(ctx, l.place)
	if err != nil {
		return err
	}
	l.pulse = second.(*net.UnixConn) // a socket at a path is no other
	if _, err := io.WriteString(l.pulse, "watch\n"); err != nil {
		return err
	}
	l.hook, l.stderr, err = newHook()
	return err
}

// Stderr is what playwright-go is to give the driver as its standard error. The
// caller closes it when the program has been started.
func (l *Line) Stderr() *os.File { return l.stderr }

// Gone is closed when the line is of no use any more: it was closed, or the driver
// ended, or cut it off.
func (l *Line) Gone() <-chan struct{} { return l.gone }

// Lost reports whether the line is of no use any more. It knows of a driver's end
// as soon as the system does, which is before Gone is closed.
func (l *Line) Lost() bool {
	if l.isGone() {
		return true
	}
	raw, err := l.pulse.SyscallConn()
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

func (l *Line) isGone() bool {
	select {
	case <-l.gone:
		return true
	default:
		return false
	}
}

// PID is the driver's process.
func (l *Line) PID() int { return l.pid }

// Close ends the line. The driver gives up what it had for it, and serves others on.
func (l *Line) Close() {
	died := !l.isGone() && l.Lost()
	l.end()
	l.work.Wait()
	if died { // and nobody else may be left to notice
		l.shared.tidy(l.place)
	}
}

// snap tells watch that the line carries no more.
func (l *Line) snap() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.broke {
		l.broke = true
		close(l.broken)
	}
}

// end closes everything, once, and whoever waits on it returns.
func (l *Line) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	l.over = true
	close(l.gone)
	if l.conn != nil {
		_ = l.conn.Close() // nothing that was written matters any more
	}
	if l.pulse != nil {
		_ = l.pulse.Close() // as above
	}
	if l.hook != nil {
		_ = l.hook.Close() // as above
	}
	if l.process != nil {
		_ = l.process.Release() // as above
	}
	for _, p := range l.pipes {
		_ = p.Close() // as above; playwright-go reads the end of its input
	}
}

// carry takes the pipes over and carries frames between them and the driver.
func (l *Line) carry() {
	defer l.snap()
	in, out, pid, err := receive(l.hook)
	if err != nil {
		if !l.isGone() {
			l.shared.logger().Warn("taking over the driver's pipes", "error", err)
		}
		return
	}
	_ = l.hook.Close() // it has done what it is for
	l.mu.Lock()
	l.pipes = []*os.File{in, out}
	over := l.over
	l.mu.Unlock()
	if over {
		_, _ = in.Close(), out.Close() // nobody waits for them any more
		return
	}
	// playwright-go waits for the stand-in only when it closes the driver; until then
	// it would stay in the table of processes.
	l.work.Go(func() { reap(pid) })
	var both sync.WaitGroup
	both.Go(func() {
		defer l.snap()
		_, _ = io.Copy(l.conn, in) // however it ends, the line has ended
	})
	both.Go(func() {
		defer l.snap()
		_, _ = io.Copy(out, l.conn) // as above
	})
	both.Wait()
}
