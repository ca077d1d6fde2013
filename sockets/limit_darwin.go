package sockets

// maxSocketPath is the length in bytes of the longest socket path: sun_path has
// 104, the last of which is a NUL.
const maxSocketPath = 103
