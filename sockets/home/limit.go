package home

import "golang.org/x/sys/unix"

// MaxSocketPath is the length in bytes of the longest socket path. The last byte of
// sun_path is a NUL.
const MaxSocketPath = len(unix.RawSockaddrUnix{}.Path) - 1
