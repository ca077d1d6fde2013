package sockets

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// peerUID is the effective user that connected, or that listens.
func peerUID(conn *net.UnixConn) (int, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return -1, err
	}
	uid := -1
	var got error
	err = raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		if cred, got = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); got == nil {
			uid = int(cred.Uid)
		}
	})
	return uid, errors.Join(err, got)
}

// peerPID is the process that connected, or that listens.
func peerPID(conn *net.UnixConn) (int, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	pid := 0
	var got error
	err = raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		if cred, got = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); got == nil {
			pid = int(cred.Pid)
		}
	})
	return pid, errors.Join(err, got)
}
