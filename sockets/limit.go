package sockets

import "golang.org/x/sys/unix"

// maxSocketPath is the length in bytes of the longest socket path. The last byte of
// sun_path is a NUL.
const maxSocketPath = len(unix.RawSockaddrUnix{}.Path) - 1
