package spare

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

const offerTime = time.Second // for an offer to be read, and for the answer to be written

// Order is the session that a daemon has been given.
type Order struct {
	Session
	conn net.Conn
	read *bufio.Reader
}

// Wait listens at the place until a session is offered to it, which it takes where it is
// for this build, or until ctx ends. ready is told that it listens.
func Wait(ctx context.Context, p sockets.Place, build string, ready func(error)) (*Order, error) {
	lease, err := sockets.Hold(p.Lock)
	if err != nil {
		return nil, err
	}
	listener, err := p.Listen(lease)
	if err != nil {
		return nil, errors.Join(err, lease.Close())
	}
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() }) // it wakes Accept
	defer stop()
	ready(nil)
	checked := sockets.CheckPeers(listener, nil)
	var o *Order
	for o == nil && err == nil {
		o, err = next(checked, build)
	}
	_ = listener.Close() // nobody else is to come
	left := errors.Join(p.Unlink(lease), lease.Close())
	if o == nil {
		return nil, errors.Join(ctx.Err(), err, left)
	}
	// Who has given up by now starts another, and we are nobody's.
	err = left
	if err == nil {
		err = say(o.conn, line{Would: true})
	}
	if err == nil {
		err = o.confirm()
	}
	if err != nil {
		return nil, errors.Join(err, o.conn.Close())
	}
	return o, nil
}

// next returns what the next connection offers, nil where that is nothing for us.
func next(l net.Listener, build string) (*Order, error) {
	conn, err := l.Accept()
	if err != nil {
		return nil, err
	}
	o, said := &Order{conn: conn, read: bufio.NewReader(io.LimitReader(conn, maxLine))}, line{}
	if err = conn.SetDeadline(time.Now().Add(offerTime)); err == nil {
		said, err = hear(o.read)
	}
	if err != nil || said.Offer == nil || said.Offer.Build != build {
		_ = say(conn, line{}) // who only looked needs no answer
		_ = conn.Close()      // as above
		return nil, nil
	}
	o.Session = *said.Offer
	return o, nil
}

// confirm waits to hear that the offer still stands.
func (o *Order) confirm() error {
	switch said, err := hear(o.read); {
	case err != nil:
		return err
	case !said.Meant:
		return errors.New("the offer does not stand any more")
	}
	return nil
}

// Become makes of this process what the order says: it has the environment, the
// output and in the list of processes the name of one that was started for the session.
func (o *Order) Become() error {
	log, err := os.OpenFile(o.Log, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return wire.Errorf(wire.CodePermission, "opening the log: %v", err).WithHint("abrowser doctor")
	}
	defer log.Close() // what it was opened for are its copies
	for _, fd := range []int{1, 2} {
		if err := unix.Dup2(int(log.Fd()), fd); err != nil {
			return err
		}
	}
	os.Clearenv()
	for _, v := range o.Environ {
		name, value, _ := strings.Cut(v, "=")
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	rename(o.Name)
	return nil
}

// rename writes the session's name over the [Placeholder] in the command line that the
// system shows of us, which is where Go's arguments are, too.
func rename(session string) {
	if len(os.Args) < 3 || os.Args[2] != Placeholder {
		return
	}
	arg := unsafe.Slice(unsafe.StringData(os.Args[2]), len(os.Args[2]))
	clear(arg[copy(arg, session):])
}

// Ready tells whoever offered the session that it is served, or why it never will be.
func (o *Order) Ready(err error) {
	_ = o.conn.SetDeadline(time.Now().Add(offerTime))                  // who went away needs no answer
	_ = say(o.conn, line{Ready: err == nil, Error: wire.AsError(err)}) // as above
	_ = o.conn.Close()                                                 // as above
}

// Lookup is os.LookupEnv for the session's environment.
func (s Session) Lookup(name string) (string, bool) {
	for _, v := range s.Environ {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value, true
		}
	}
	return "", false
}
