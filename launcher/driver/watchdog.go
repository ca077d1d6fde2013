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
func (l *Line) watch() {
	defer l.end()
	pulse := l.shared.limits().pulse
	timer := time.NewTimer(pulse)
	defer timer.Stop()
	for {
		select {
		case <-l.gone:
			return
		case <-l.broken: // the driver died, cut the line off, or was left by playwright-go
		case <-timer.C:
		}
		answer, err := l.ask()
		switch {
		case err == nil && l.isBroken():
			return
		case err == nil && answer == '1':
			timer.Reset(pulse)
			continue
		case err == nil: // another asks
			timer.Reset(4 * pulse)
			continue
		case errors.Is(err, os.ErrDeadlineExceeded):
			l.kill(l.process, l.pulse)
			return
		}
		if !l.isGone() {
			l.shared.logger().Warn("the driver ended", "name", l.place.Name, "pid", l.pid)
			l.shared.tidy(l.place)
		}
		return
	}
}

func (l *Line) isBroken() bool {
	select {
	case <-l.broken:
		return true
	default:
		return false
	}
}

func (l *Line) ask() (byte, error) {
	limits := l.shared.limits()
	if _, err := l.pulse.Write([]byte{'?'}); err != nil {
		return 0, err
	}
	answer, err := read(l.pulse, limits.reply)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// It may be we who were stopped, and the answer be there.
		answer, err = read(l.pulse, limits.grace)
	}
	return answer, err
}

// kill ends a driver that does not answer on conn, and everybody's line to it.
func (l *Line) kill(process *os.Process, conn net.Conn) {
	l.shared.logger().Warn("the driver does not answer and is ended", "name", l.place.Name, "pid", l.pid)
	_ = process.Kill() // where it has ended, so much the better
	if err := conn.SetReadDeadline(time.Now().Add(l.shared.limits().grace)); err == nil {
		_, _ = io.Copy(io.Discard, conn) // until the system has closed its end
	}
	l.shared.tidy(l.place)
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
func (l *Line) doubt() {
	conn, process, limits := l.conn, l.process, l.shared.limits()
	l.conn, l.process = nil, nil
	go func() { // it ends within the limits
		defer func() { _, _ = conn.Close(), process.Release() }() // nothing more is said
		_, err := read(conn, limits.reply)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			_, err = read(conn, limits.grace)
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			l.kill(process, conn)
		case err != nil: // it has ended
			l.shared.tidy(l.place)
		}
	}()
}
