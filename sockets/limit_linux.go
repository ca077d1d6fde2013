package sockets

// maxSocketPath is the length in bytes of the longest socket path: sun_path has
// 108, the last of which is a NUL.
const maxSocketPath = 107
