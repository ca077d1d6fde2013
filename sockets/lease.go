package sockets

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Lease is a lock file held by flock. It lasts as long as any process has the
// descriptor open: a child that inherits it keeps it, and when the last holder
// dies, however it dies, the lease is free.
//
// It is never given up by LOCK_UN, which would take it from every holder, and its
// file is never removed, which would let two processes hold two files of one name.
type Lease struct {
	file   *os.File
	socket fs.FileInfo // what Listen bound, nil where that was another process
}

// TryAcquire takes the lease at path, or returns [wire.CodeHeld] at once when a living
// process holds it.
func TryAcquire(path string) (*Lease, error) {
	return hold(path, func(f *os.File) error {
		err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			held := wire.Errorf(wire.CodeHeld, "another process holds %s", path)
			if socket := heldFor(f); socket != "" {
				held = held.With("socket", socket)
			}
			return held
		}
		return err
	})
}

// Acquire takes the lease at path as soon as it is free, and gives up when ctx
// ends.
func Acquire(ctx context.Context, path string) (*Lease, error) {
	if l, err := TryAcquire(path); !errors.Is(err, wire.CodeHeld) {
		return l, err
	}
	type result struct {
		lease *Lease
		err   error
	}
	done := make(chan result)
	// Nothing interrupts flock, so this goroutine outlives a caller that gave up,
	// until the lock is free; then it drops it.
	go func() {
		l, err := hold(path, func(f *os.File) error { return flock(f, unix.LOCK_EX) })
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

// LeaseFrom is the lease that another process took and whose descriptor this one
// inherited.
func LeaseFrom(f *os.File) *Lease { return &Lease{file: f} }

// File is the descriptor to hand to a child.
func (l *Lease) File() *os.File { return l.file }

// Close closes this process's descriptor. The lease ends with the last one.
func (l *Lease) Close() error { return l.file.Close() }

// at reports whether l is a lease on the file that is at path now. It is not when
// somebody removed the file, or the whole root, and made it anew.
func (l *Lease) at(path string) bool {
	held, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(held, there)
}

func hold(path string, lock func(*os.File) error) (*Lease, error) {
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, wire.OSError("making "+filepath.Dir(path), err)
	}
	const tries = 5 // each but the first only after somebody removed the file
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
	return nil, wire.Errorf(wire.CodeHeld, "%s is removed again and again", path)
}

func flock(f *os.File, how int) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	err = raw.Control(func(fd uintptr) {
		for {
			if locked = unix.Flock(int(fd), how); !errors.Is(locked, syscall.EINTR) {
				return
			}
		}
	})
	return errors.Join(err, locked)
}

// heldFor reads where the holder of a lease listens, which Listen noted in it.
func heldFor(f *os.File) string {
	buf := make([]byte, home.MaxSocketPath+1)
	n, _ := f.ReadAt(buf, 0)
	line, _, _ := strings.Cut(string(buf[:n]), "\n")
	return line
}
