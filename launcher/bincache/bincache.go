// Package bincache keeps one copy of our executable for each build, as bin/<build>/abrowser
// in abrowser's directory.
//
// The launcher starts daemons and keepers from such a copy, and not from the file that the
// user called: go run deletes that file, an upgrade replaces it, and the driver that a
// daemon starts later must find the executable at its path. The copy is not a link, since a
// write into the original would then change the copy too.
//
// Each process that runs a copy holds a shared lock on a file beside the copy, see [Pin]. The
// package does not know what the processes do. The invariant: a copy is removed only by the
// holder of the exclusive lock on that file, so never while a process runs the copy.
package bincache

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/home"
)

// lockName is the name of the lock file beside a copy.
const lockName = ".live"

// Cache is the directory that has a subdirectory for each build.
type Cache string

// Add copies the executable at the path source, unless the cache has a copy of the build, and
// returns the path of the copy. The copy is not removed before the caller closes lock.
func (c Cache) Add(build, source string) (program string, lock *os.File, err error) {
	dir := filepath.Join(string(c), build)
	lock, err = lockShared(dir)
	if err != nil {
		return "", nil, err
	}
	program = filepath.Join(dir, "abrowser")
	if err := copyProgram(source, program); err != nil {
		return "", nil, errors.Join(err, lock.Close())
	}
	return program, lock, nil
}

// lockShared creates dir and returns its lock file with a shared lock. It tries again if dir
// is removed at the same time.
func lockShared(dir string) (*os.File, error) {
	for range 10 {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		path := filepath.Join(dir, lockName)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// The exclusive lock is held only by a process that removes dir, so this wait is short.
		if err := flock(int(f.Fd()), unix.LOCK_SH); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		locked, err := f.Stat()
		if current, missing := os.Lstat(path); err == nil && missing == nil && os.SameFile(locked, current) {
			return f, nil
		}
		f.Close()
	}
	return nil, errors.New("another process keeps removing " + dir)
}

// copyProgram copies the file source to the path dest, unless a complete copy exists there. Two
// processes may copy at the same time: each writes a file of its own and renames it to dest.
func copyProgram(source, dest string) error {
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	want, err := in.Stat()
	if err != nil {
		return err
	}
	if have, err := os.Stat(dest); err == nil && have.Size() == want.Size() && have.Mode().Perm()&0o100 != 0 {
		return nil
	}
	// If another goroutine forked a child now, the child would have the new file open for
	// writing until the child calls exec. While any process has the file open for writing,
	// executing the file fails with "text file busy".
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return home.ReplaceFile(dest, 0o700, func(out *os.File) error {
		_, err := io.Copy(out, in)
		return errors.Join(err, out.Sync())
	})
}

// Pin prevents the copy of this process from being removed before the process exits. It does
// nothing in a process that does not run a copy.
func Pin() {
	path, err := os.Executable()
	if err != nil {
		return
	}
	// The descriptor must stay open until the process exits. An os.File would be closed when it
	// becomes unreachable.
	fd, err := unix.Open(filepath.Join(filepath.Dir(path), lockName), unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	// The process that started this one holds a shared lock, so locking should succeed at once.
	// An error is ignored. Without the lock, the copy may be removed, and a driver that this
	// process starts later would then not find the executable.
	_ = flock(fd, unix.LOCK_SH|unix.LOCK_NB)
}

// Sweep removes every copy that no process runs. It keeps the copy of the build that is passed
// as keep.
func (c Cache) Sweep(keep string) error {
	entries, err := os.ReadDir(string(c))
	for _, e := range entries {
		if e.Name() != keep {
			err = errors.Join(err, removeUnused(filepath.Join(string(c), e.Name())))
		}
	}
	return err
}

func removeUnused(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	err = flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) { // a process runs the copy
		return nil
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

func flock(fd, how int) error {
	for {
		if err := unix.Flock(fd, how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
