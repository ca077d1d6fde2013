package driver

import (
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// watchdog pings the driver until the connection is closed. When carry has stopped copying
// messages, watchdog pings at once, to find out whether the driver is the cause, and then closes
// the connection. watchdog kills a driver that does not reply, since none of the driver's sessions
// would get a reply either.
func (c *Conn) watchdog() {
	defer c.shutdown()
	timer := time.NewTimer(pingInterval)
	defer timer.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-c.broken: // the driver exited or closed the connection, or playwright-go stopped
		case <-timer.C:
		}
		reply, err := c.ping()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			c.kill(c.process, c.probe)
			return
		case err != nil:
			if !isClosed(c.done) {
				c.shared.logger().Warn("the driver exited", "name", c.endpoint.Name, "pid", c.pid)
				c.shared.cleanUp(c.endpoint)
			}
			return
		case isClosed(c.broken):
			return
		case reply == '1':
			timer.Reset(pingInterval)
		default: // the reply '0' means that an older session pings the driver every pingInterval
			timer.Reset(4 * pingInterval)
		}
	}
}

func (c *Conn) ping() (byte, error) {
	if _, err := c.probe.Write([]byte{'?'}); err != nil {
		return 0, err
	}
	return readReply(c.probe)
}

// readReply reads the driver's reply of one byte. After replyTimeout it tries once more, for
// graceTime. This process may itself have been suspended during replyTimeout, and the reply may
// have arrived in that time.
func readReply(conn net.Conn) (byte, error) {
	reply, err := readByte(conn, replyTimeout)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		reply, err = readByte(conn, graceTime)
	}
	return reply, err
}

// kill kills a driver that does not reply on conn, and removes the driver's files. This closes the
// connections of all the driver's sessions.
func (c *Conn) kill(process *os.Process, conn net.Conn) {
	c.shared.logger().Warn("killing the driver, which does not answer", "name", c.endpoint.Name, "pid", c.pid)
	_ = process.Kill() // it may have exited
	if err := conn.SetReadDeadline(time.Now().Add(graceTime)); err == nil {
		_, _ = io.Copy(io.Discard, conn) // until the system has closed the driver's end
	}
	c.shared.cleanUp(c.endpoint)
}

// readByte reads one byte within limit.
func readByte(conn net.Conn, limit time.Duration) (byte, error) {
	if err := conn.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return 0, err
	}
	var b [1]byte
	_, err := io.ReadFull(conn, b[:])
	return b[0], errors.Join(err, conn.SetReadDeadline(time.Time{}))
}

// waitOrKill is called when a driver has not replied within the caller's limit. It returns at
// once, and waits for the reply in the background, for as long as readReply does. If no reply
// comes in that time, it kills the driver. If the driver has exited, it removes the driver's
// files. It takes over c's resources and releases them.
func (c *Conn) waitOrKill() {
	conn, process := c.frames, c.process
	c.resources = nil
	go func() { // ends within the limits of readReply and kill
		defer func() { _, _ = conn.Close(), process.Release() }() // errors do not matter here
		_, err := readReply(conn)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			c.kill(process, conn)
		case err != nil: // the driver exited
			c.shared.cleanUp(c.endpoint)
		}
	}()
}
