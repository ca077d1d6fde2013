package home

import (
	"syscall"

	"github.com/abrowser/abrowser/sockets/wire"
)

// minSpace is the number of bytes that must be free on the root's disk.
const minSpace = 1 << 20

// CheckDisk returns [wire.CodePermission] if the root's disk is full.
func (r Root) CheckDisk() error {
	var fs syscall.Statfs_t
	if syscall.Statfs(r.Dir, &fs) != nil {
		return nil // the next write below the root reports the problem
	}
	free := fs.Bavail * uint64(fs.Bsize)
	if !diskFull(fs.Blocks, free, fs.Files, fs.Ffree) {
		return nil
	}
	return wire.OSError("writing below "+r.Dir, syscall.ENOSPC)
}

// diskFull reports whether a file system has less than [minSpace] free, or no room for more files.
// A file system that does not count its blocks or files reports a total of 0, and diskFull then
// ignores that count.
func diskFull(blocks, free, files, freeFiles uint64) bool {
	return blocks > 0 && free < minSpace || files > 0 && freeFiles == 0
}
