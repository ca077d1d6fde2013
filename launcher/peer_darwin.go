package launcher

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerPID is the process that listened on the other end of conn, or 0.
func peerPID(conn net.Conn) int {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return 0
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	_ = raw.Control(func(fd uintptr) { // where it fails pid stays 0
		if n, err := unix.GetsockoptInt(int(fd), 0, unix.LOCAL_PEERPID); err == nil {
			pid = n
		}
	})
	return pid
}
