package sockets

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerUID returns the effective user of the process at the other end of conn.
func peerUID(conn *net.UnixConn) (int, error) {
	peer, err := credentials(conn)
	return int(peer.Uid), err
}

// peerPID returns the pid of the process at the other end of conn.
func peerPID(conn *net.UnixConn) (int, error) {
	peer, err := credentials(conn)
	return int(peer.Pid), err
}

func credentials(conn *net.UnixConn) (unix.Ucred, error) {
	peer := unix.Ucred{Uid: ^uint32(0)} // no user has this id
	err := control(conn, func(fd int) error {
		cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err == nil {
			peer = *cred
		}
		return err
	})
	return peer, err
}
