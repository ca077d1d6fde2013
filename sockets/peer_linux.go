package sockets

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// peerUID is the effective user that connected, or that listens.
func peerUID(conn *net.UnixConn) (int, error) {
	peer, err := credentials(conn)
	return int(peer.Uid), err
}

// peerPID is the process that connected, or that listens.
func peerPID(conn *net.UnixConn) (int, error) {
	peer, err := credentials(conn)
	return int(peer.Pid), err
}

func credentials(conn *net.UnixConn) (unix.Ucred, error) {
	nobody := unix.Ucred{Uid: ^uint32(0)} // the user that there never is
	raw, err := conn.SyscallConn()
	if err != nil {
		return nobody, err
	}
	peer := &nobody
	var got error
	err = raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		if cred, got = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); got == nil {
			peer = cred
		}
	})
	return *peer, errors.Join(err, got)
}
