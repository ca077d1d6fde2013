package driver

import (
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// watch asks the driver again and again whether it lives, and ends one that does
// not answer: no other session of it would ever get an answer either.
func (c *Conn) watch() {
	defer c.end()
	pulse := c.shared.limits().pulse
	timer := time.NewTimer(pulse)
	defer timer.Stop()
	for {
		select {
		case <-c.gone:
			return
		case <-c.broken: // the driver died, cut the line off, or was left by playwright-go
		case <-timer.C:
		}
		answer, err := c.ask()
		switch {
		case err == nil && c.isBroken():
			return
		case err == nil && answer == '1':
			timer.Reset(pulse)
			continue
		case err == nil: // another asks
			timer.Reset(4 * pulse)
			continue
		case errors.Is(err, os.ErrDeadlineExceeded):
			c.kill(c.process, c.pulse)
			return
		}
		if !c.isGone() {
			c.shared.logger().Warn("the driver ended", "name", c.place.Name, "pid", c.pid)
			c.shared.tidy(c.place)
		}
		return
	}
}

func (c *Conn) isBroken() bool {
	select {
	case <-c.broken:
		return true
	default:
		return false
	}
}

func (c *Conn) ask() (byte, error) {
	limits := c.shared.limits()
	if _, err := c.pulse.Write([]byte{'?'}); err != nil {
		return 0, err
	}
	answer, err := read(c.pulse, limits.reply)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// It may be we who were stopped, and the answer be there.
		answer, err = read(c.pulse, limits.grace)
	}
	return answer, err
}

// kill ends a driver that does not answer on conn, and everybody's line to it.
func (c *Conn) kill(process *os.Process, conn net.Conn) {
	c.shared.logger().Warn("the driver does not answer and is ended", "name", c.place.Name, "pid", c.pid)
	_ = process.Kill() // where it has ended, so much the better
	if err := conn.SetReadDeadline(time.Now().Add(c.shared.limits().grace)); err == nil {
		_, _ = io.Copy(io.Discard, conn) // until the system has closed its end
	}
	c.shared.tidy(c.place)
}

// read reads one byte within limit.
func read(conn net.Conn, limit time.Duration) (byte, error) {
	if err := conn.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return 0, err
	}
	var b [1]byte
	_, err := io.ReadFull(conn, b[:])
	return b[0], errors.Join(err, conn.SetReadDeadline(time.Time{}))
}

// doubt waits on, beside a caller that does not, for a driver that has not answered,
// and ends it where it never does. It takes connection and process over.
func (c *Conn) doubt() {
	conn, process, limits := c.conn, c.process, c.shared.limits()
	c.conn, c.process = nil, nil
	go func() { // it ends within the limits
		defer func() { _, _ = conn.Close(), process.Release() }() // nothing more is said
		_, err := read(conn, limits.reply)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			_, err = read(conn, limits.grace)
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			c.kill(process, conn)
		case err != nil: // it has ended
			c.shared.tidy(c.place)
		}
	}()
}
