package sockets

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"os"

	"github.com/abrowser/abrowser/sockets/wire"
)

// CheckPeers returns a listener that accepts only connections from processes of this process's user
// and closes all others. The mode of the socket file has the same effect, but the mode can be
// changed. If log is nil, nothing is logged.
func CheckPeers(l net.Listener, log *slog.Logger) net.Listener {
	return &checkedListener{Listener: l, log: cmp.Or(log, slog.New(slog.DiscardHandler))}
}

type checkedListener struct {
	net.Listener
	log *slog.Logger
}

// Accept returns the next connection from a process of this process's user.
func (l *checkedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if err := checkPeer(conn); err != nil {
			l.log.Warn("rejected a connection", "err", err)
			conn.Close()
			continue
		}
		return conn, nil
	}
}

// PeerPID returns the pid of the process that listens at the other end of conn, as the
// system reports it. When that process ends, the system closes the other end of conn. The pid
// is therefore not reused while the other end is open.
func PeerPID(conn net.Conn) (int, error) {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, wire.Errorf(wire.CodeInternal, "finding the peer's process: %T is not a Unix connection", conn)
	}
	pid, err := peerPID(c)
	if err == nil && pid <= 1 {
		err = wire.Errorf(wire.CodeForbidden, "finding the peer's process: the system reports pid %d", pid)
	}
	return pid, err
}

// checkPeer returns [wire.CodeForbidden] unless the process at the other end of conn belongs
// to this process's user.
func checkPeer(conn net.Conn) error {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return wire.Errorf(wire.CodeForbidden, "finding the peer's user: %T is not a Unix connection", conn)
	}
	uid, err := peerUID(c)
	if err != nil {
		return wire.Errorf(wire.CodeForbidden, "finding the peer's user: %v", err)
	}
	if uid != os.Geteuid() {
		return wire.Errorf(wire.CodeForbidden, "the peer is user %d; only user %d is allowed", uid, os.Geteuid()).
			WithHint("run abrowser as the user that owns ABROWSER_HOME")
	}
	return nil
}

// control calls f with the descriptor of conn, and returns the error of f.
func control(conn *net.UnixConn, f func(fd int) error) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	err = raw.Control(func(fd uintptr) { result = f(int(fd)) })
	return errors.Join(err, result)
}
