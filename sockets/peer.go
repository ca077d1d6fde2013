package sockets

import (
	"log/slog"
	"net"
	"os"

	"github.com/abrowser/abrowser/sockets/wire"
)

// CheckPeers accepts connections of this process's own user only; others are
// closed. The mode of the socket says the same, but can be changed.
func CheckPeers(l net.Listener, log *slog.Logger) net.Listener {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &checkedListener{Listener: l, log: log}
}

type checkedListener struct {
	net.Listener
	log *slog.Logger
}

// Accept returns the next connection of our own user.
func (l *checkedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if err := checkPeer(conn); err != nil {
			l.log.Warn("refused a connection", "err", err)
			conn.Close()
			continue
		}
		return conn, nil
	}
}

// PeerPID is the process that listens on the other end of conn, as the system knows
// it. That process lives as long as conn is open.
func PeerPID(conn net.Conn) (int, error) {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, wire.Errorf(wire.CodeInternal, "the peer's process is not known")
	}
	pid, err := peerPID(c)
	if err == nil && pid <= 1 {
		err = wire.Errorf(wire.CodeForbidden, "the peer's process is not known: the system says %d", pid)
	}
	return pid, err
}

func checkPeer(conn net.Conn) error {
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return wire.Errorf(wire.CodeForbidden, "the peer's user is not known")
	}
	uid, err := peerUID(unixConn)
	if err != nil {
		return wire.Errorf(wire.CodeForbidden, "the peer's user is not known: %v", err)
	}
	if uid != os.Geteuid() {
		return wire.Errorf(wire.CodeForbidden, "the peer is user %d; only user %d is let in", uid, os.Geteuid()).
			WithHint("run abrowser as the user that owns ABROWSER_HOME")
	}
	return nil
}
