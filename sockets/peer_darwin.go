package sockets

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerUID returns the effective user of the process at the other end of conn.
func peerUID(conn *net.UnixConn) (int, error) {
	uid := -1
	err := control(conn, func(fd int) error {
		cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		if err == nil {
			uid = int(cred.Uid)
		}
		return err
	})
	return uid, err
}

// peerPID returns the pid of the process at the other end of conn.
func peerPID(conn *net.UnixConn) (pid int, err error) {
	err = control(conn, func(fd int) (err error) {
		pid, err = unix.GetsockoptInt(fd, 0, unix.LOCAL_PEERPID)
		return err
	})
	return pid, err
}
