package sockets

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Lease is a lock file that is locked with flock. The lock lasts as long as any process has the
// descriptor open. A child that inherits the descriptor therefore keeps the lock, and the lock is
// released when the last such process ends, even by SIGKILL.
//
// A lease is never released by LOCK_UN, which would release it for all processes that share the
// descriptor. Only the process with the lease removes the lock file, see [Lease.Remove]. Another
// process that is waiting for the lock then gets the lock of the removed file. The waiting process
// checks for this case, and tries again with a new file at the same path.
type Lease struct {
	file *os.File
	// socket describes the socket that Listen bound. It is nil if this process has not called
	// Listen with this lease.
	socket fs.FileInfo
}

// TryAcquire acquires the lease at path. It does not wait: if the file is already locked, it
// returns [wire.CodeHeld].
func TryAcquire(path string) (*Lease, error) {
	return acquire(path, func(f *os.File) error {
		err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			held := wire.Errorf(wire.CodeHeld, "another process holds %s", path)
			if socket, _ := readNote(f); socket != "" {
				held = held.With("socket", socket)
			}
			return held
		}
		return err
	})
}

// Acquire waits until the lease at path is free, and acquires it. If ctx ends first, Acquire
// returns [wire.CodeTimeout] or [wire.CodeInterrupted].
func Acquire(ctx context.Context, path string) (*Lease, error) {
	if l, err := TryAcquire(path); !errors.Is(err, wire.CodeHeld) {
		return l, err
	}
	type result struct {
		lease *Lease
		err   error
	}
	done := make(chan result)
	// A blocking flock cannot be interrupted. If ctx ends first, Acquire returns and this
	// goroutine continues. When the lease is free, the goroutine acquires and releases it.
	go func() {
		l, err := acquire(path, func(f *os.File) error { return flock(f, unix.LOCK_EX) })
		select {
		case done <- result{l, err}:
		case <-ctx.Done():
			if l != nil {
				l.Close()
			}
		}
	}()
	select {
	case r := <-done:
		return r.lease, r.err
	case <-ctx.Done():
		return nil, wire.ContextError(ctx, "waiting for "+path)
	}
}

// LeaseFrom returns a lease that another process acquired. The parameter f is the lease's
// descriptor, which this process inherited.
func LeaseFrom(f *os.File) *Lease { return &Lease{file: f} }

// File returns the lease's descriptor, which a child can inherit.
func (l *Lease) File() *os.File { return l.file }

// Close closes this process's descriptor, which releases the lease if no other process has
// the descriptor open.
func (l *Lease) Close() error { return l.file.Close() }

// Remove removes the two lock files of the endpoint e, and then closes l, which must be the
// lease of e. The calling process must be about to exit, and no other process may have the
// lease's descriptor open. Remove closes l but leaves the files in two cases:
//
//   - e.Lock is no longer the file that l has locked.
//   - Another process has locked e.Start. That process is starting a new server.
func (l *Lease) Remove(e home.Endpoint) error {
	if !l.at(e.Lock) {
		return l.Close()
	}
	start, err := TryAcquire(e.Start)
	if err == nil {
		err = errors.Join(remove(e.Lock), remove(e.Start), start.Close())
	} else if errors.Is(err, wire.CodeHeld) {
		err = nil
	}
	return errors.Join(err, l.Close())
}

// at reports whether the file at path is the file that l has locked. It is another file if the lock
// file, or a directory above it, was removed and created again.
func (l *Lease) at(path string) bool {
	locked, err := l.file.Stat()
	if err != nil {
		return false
	}
	current, err := os.Lstat(path)
	return err == nil && os.SameFile(locked, current)
}

func acquire(path string, lock func(*os.File) error) (*Lease, error) {
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, wire.OSError("making "+filepath.Dir(path), err)
	}
	// One try is enough, unless another process removes the file before lock() returns.
	const tries = 5
	for range tries {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, wire.OSError("opening "+path, err)
		}
		l := &Lease{file: f}
		if err := lock(f); err != nil {
			f.Close()
			return nil, wire.OSError("locking "+path, err)
		}
		if l.at(path) {
			return l, nil
		}
		f.Close()
	}
	return nil, wire.Errorf(wire.CodeHeld, "locking %s: another process keeps removing the file", path)
}

func flock(f *os.File, how int) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	err = raw.Control(func(fd uintptr) {
		for {
			if result = unix.Flock(int(fd), how); !errors.Is(result, unix.EINTR) {
				return
			}
		}
	})
	return errors.Join(err, result)
}

// Listener returns the process that last called [Listen] with the lease at path. It returns false
// if no process has called Listen, or if that process has ended. A process keeps its lease until it
// is about to exit. If Listener returns true, the process therefore either has the lease or is
// about to exit.
func Listener(path string) (p Process, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return Process{}, false
	}
	defer f.Close()
	_, text := readNote(f)
	p, err = ParseProcess(text)
	return p, err == nil && p.IsAlive()
}

// readNote returns the two lines that [Listen] writes to a lock file: the socket's path, and the
// listening process in the form of [Process.String].
func readNote(f *os.File) (socket, process string) {
	const processLength = 64
	buf := make([]byte, home.MaxSocketPath+processLength)
	n, _ := f.ReadAt(buf, 0)
	socket, rest, _ := strings.Cut(string(buf[:n]), "\n")
	process, _, _ = strings.Cut(rest, "\n")
	return socket, process
}
