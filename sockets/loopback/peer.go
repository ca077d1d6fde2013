package loopback

import (
	"net"
	"net/netip"
	"os"

	"github.com/abrowser/abrowser/sockets/wire"
)

// checkPeer returns an error unless the process at the other end of a connection on this machine
// belongs to this process's user.
func checkPeer(conn net.Conn) error {
	client, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return err
	}
	server, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil {
		return err
	}
	uid, known, err := socketUser(client, server)
	switch {
	case err != nil:
		return wire.Errorf(wire.CodeForbidden, "finding the peer's user: %v", err)
	case known && uid != os.Geteuid():
		return wire.Errorf(wire.CodeForbidden, "the peer is user %d; only user %d is allowed", uid, os.Geteuid())
	}
	return nil
}
