package launcher

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/wire"
)

// liveName is the file beside a copy on which every process that runs the copy has
// a shared lock. Whoever gets it alone may remove the copy.
const liveName = ".live"

// installed returns the copy of our executable for this build, which it makes at the
// first spawn: go run deletes its own, an upgrade replaces it, and a driver started
// later must be found at its path. The copy stays at least as long as live is open.
//
// It is a copy and no link: who writes into our file afterwards would change what
// the build's name stands for.
func (l *Launcher) installed(build string) (program string, live *os.File, err error) {
	dir := l.Root.Path("bin", build)
	live, err = holdLive(dir)
	if err != nil {
		return "", nil, wire.Errorf(wire.CodeStart, "copying our executable: %v", err).WithHint("abrowser doctor")
	}
	program = filepath.Join(dir, "abrowser")
	if err := copyProgram(l.image(), program); err != nil {
		live.Close()
		return "", nil, wire.Errorf(wire.CodeStart, "copying our executable: %v", err).WithHint("abrowser doctor")
	}
	return program, live, nil
}

// holdLive makes the directory and takes the shared lock in it, again when it was
// removed in between.
func holdLive(dir string) (*os.File, error) {
	for range 10 {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		path := filepath.Join(dir, liveName)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// Held alone only by one that removes the directory, which takes no time.
		if err := flock(int(f.Fd()), unix.LOCK_SH); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if same(f, path) {
			return f, nil
		}
		f.Close()
	}
	return nil, errors.New("it is removed again and again")
}

// copyProgram makes the copy unless it is there. Two may do so at once: each writes
// a file of its own, and the second takes the first's place.
func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	want, err := in.Stat()
	if err != nil {
		return err
	}
	if have, err := os.Stat(to); err == nil && have.Size() == want.Size() && have.Mode().Perm()&0o100 != 0 {
		return nil
	}
	temp, err := writeProgram(in, filepath.Dir(to))
	if err == nil {
		err = os.Rename(temp, to)
	}
	if err != nil && temp != "" {
		os.Remove(temp)
	}
	return err
}

// writeProgram writes a new executable file in dir and returns its name.
func writeProgram(in io.Reader, dir string) (string, error) {
	// A child that another goroutine forks meanwhile would have the file open for
	// writing until its exec, and running it would be refused: text file busy.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	out, err := os.CreateTemp(dir, ".new-")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(0o700), out.Sync(), out.Close())
	return out.Name(), err
}

// Pin keeps the copy of our executable that this process runs from being removed
// while the process lives. A process that runs from elsewhere needs no pin.
func Pin() {
	path, err := os.Executable()
	if err != nil {
		return
	}
	// Opened below the os package, which would close it when nothing refers to it.
	fd, err := unix.Open(filepath.Join(filepath.Dir(path), liveName), unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	// Whoever started us holds it, so this never waits. Without the lock the copy may
	// be removed, and a driver started later not be found; a start is not refused for
	// that.
	_ = flock(fd, unix.LOCK_SH|unix.LOCK_NB)
}

// sweep removes the copies of other builds that no process runs.
func (l *Launcher) sweep(build string) {
	entries, err := os.ReadDir(l.Root.Path("bin"))
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Name() == build {
			continue
		}
		if err := sweepOne(l.Root.Path("bin", e.Name())); err != nil {
			l.logger().Debug("removing a copy", "build", e.Name(), "err", err)
		}
	}
}

func sweepOne(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, liveName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err // somebody runs it
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

func same(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}
