package spare

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// takeTime is how long one that waits may take to say that it takes an offer. One that
// runs does so at once, and to start one takes 20 ms.
const takeTime = 500 * time.Millisecond

// Taken is the daemon that took an offer, on its way to serve the session.
type Taken struct {
	Process *os.Process
	conn    net.Conn
	read    *bufio.Reader
}

// Take offers a session to the daemon that waits at the place. It returns
// [wire.CodeNotRunning] where none does, or none that takes it. The caller holds the
// session's start lock, has found its place vacant, and closes what he gets.
func Take(ctx context.Context, p sockets.Place, s Session) (*Taken, error) {
	ctx, cancel := context.WithTimeout(ctx, takeTime)
	defer cancel()
	conn, err := sockets.Dial(ctx, p)
	if err != nil {
		return nil, err
	}
	t := &Taken{conn: conn, read: bufio.NewReader(io.LimitReader(conn, maxLine))}
	if err := t.offer(ctx, s); err != nil {
		t.Close()
		return nil, wire.Errorf(wire.CodeNotRunning, "%s does not take the session: %v", p.Socket, err)
	}
	return t, nil
}

func (t *Taken) offer(ctx context.Context, s Session) error {
	pid, err := sockets.PeerPID(t.conn) // not known of one in another container, who sees other files
	if err != nil {
		return err
	}
	// Found while the connection is open: it refers to that process, or to none.
	if t.Process, err = os.FindProcess(pid); err != nil {
		return err
	}
	at, _ := ctx.Deadline()
	if err := t.conn.SetDeadline(at); err != nil {
		return err
	}
	if err := say(t.conn, line{Offer: &s}); err != nil {
		return err
	}
	said, err := hear(t.read)
	switch {
	case err != nil:
		return err
	case !said.Would:
		return errors.New("it is of another build")
	}
	// From here on it is the session's: one that answers too late finds nobody here.
	return errors.Join(say(t.conn, line{Meant: true}), t.conn.SetDeadline(time.Time{}))
}

// Await waits until the session is served. The error is the daemon's own, io.EOF when
// it ended on the way, or that of ctx.
func (t *Taken) Await(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = t.conn.SetReadDeadline(time.Unix(1, 0)) }) // it wakes the reader
	defer stop()
	said, err := hear(t.read)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return io.EOF
	case said.Error != nil:
		return said.Error
	}
	return nil
}

// Close gives up what is held of the daemon, which goes on.
func (t *Taken) Close() {
	_ = t.conn.Close() // all has been said
	if t.Process != nil {
		_ = t.Process.Release() // as above
	}
}

func say(conn net.Conn, l line) error {
	raw, err := json.Marshal(l)
	if err == nil {
		_, err = conn.Write(append(raw, '\n'))
	}
	return err
}

func hear(r *bufio.Reader) (line, error) {
	var said line
	raw, err := r.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(raw, &said)
	}
	return said, err
}
