package home

import (
	"syscall"

	"github.com/abrowser/abrowser/sockets/wire"
)

// leastSpace is what has to be free for files to be written, in bytes.
const leastSpace = 1 << 20

// Full returns an error where next to nothing can be written below the root any more:
// its disk is full.
func (r Root) Full() error {
	var fs syscall.Statfs_t
	if syscall.Statfs(r.Dir, &fs) != nil {
		return nil // whatever it is, it is said by who writes there
	}
	free := fs.Bavail * uint64(fs.Bsize)
	if !short(fs.Blocks, free, fs.Files, fs.Ffree) {
		return nil
	}
	return wire.OSError("writing below "+r.Dir, syscall.ENOSPC)
}

// short reports whether a file system lacks space, in bytes, or room for more files.
// One that counts none of the two has blocks or files of 0.
func short(blocks, free, files, freeFiles uint64) bool {
	return blocks > 0 && free < leastSpace || files > 0 && freeFiles == 0
}
