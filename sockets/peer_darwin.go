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
		var cred *unix.Xucred
		if cred, got = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED); got == nil {
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
	err = raw.Control(func(fd uintptr) { pid, got = unix.GetsockoptInt(int(fd), 0, unix.LOCAL_PEERPID) })
	return pid, errors.Join(err, got)
}
