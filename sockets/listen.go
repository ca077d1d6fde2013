package sockets

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Listen binds the place's socket, replacing a stale one. Only the holder of the
// place's lease may: l is refused when it is not, and so is a socket on which
// somebody answers all the same.
func Listen(p home.Endpoint, l *Lease) (*net.UnixListener, error) {
	if err := p.CheckLength(); err != nil {
		return nil, err
	}
	if l == nil || !l.at(p.Lock) {
		return nil, wire.Errorf(wire.CodeHeld, "listening at %s needs the lease %s", p.Socket, p.Lock)
	}
	if err := removeStale(p); err != nil {
		return nil, err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
	if err != nil {
		return nil, wire.OSError("listening at "+p.Socket, err)
	}
	// Close would remove whatever is at the path by then, a successor's too.
	listener.SetUnlinkOnClose(false)
	if err := claim(p, l); err != nil {
		listener.Close()
		return nil, err
	}
	return listener, nil
}

// claim makes the freshly bound socket ours and notes it. It is bound before its
// mode can be set, so the directory, not the mode, is the wall.
func claim(p home.Endpoint, l *Lease) error {
	if err := os.Chmod(p.Socket, 0o600); err != nil {
		return wire.OSError("protecting "+p.Socket, err)
	}
	info, err := os.Lstat(p.Socket)
	if err != nil {
		return wire.OSError("reading "+p.Socket, err)
	}
	l.socket = info
	line := p.Socket + "\n"
	if _, err := l.file.WriteAt([]byte(line), 0); err != nil {
		return wire.OSError("writing "+p.Lock, err)
	}
	return l.file.Truncate(int64(len(line)))
}

func removeStale(p home.Endpoint) error {
	var d net.Dialer
	conn, err := d.DialContext(context.Background(), "unix", p.Socket) // never blocks: it is refused, accepted or full
	switch {
	case err == nil:
		conn.Close()
		return wire.Errorf(wire.CodeHeld, "a process without the lease listens at %s", p.Socket)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case !errors.Is(err, unix.ECONNREFUSED):
		return wire.OSError("probing "+p.Socket, err)
	}
	if err := os.Remove(p.Socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wire.OSError("removing "+p.Socket, err)
	}
	return nil
}

// Unlink removes the place's socket at the end of its listener, unless it is
// another's by now.
func Unlink(p home.Endpoint, l *Lease) error {
	if l == nil || !Bound(p, l) {
		return nil
	}
	if err := os.Remove(p.Socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wire.OSError("removing "+p.Socket, err)
	}
	return nil
}

// Bound reports whether the socket that l's holder bound is still at the place: that
// nobody took it, or the directory, away. Where another process bound it, any is.
func Bound(p home.Endpoint, l *Lease) bool {
	if !l.at(p.Lock) {
		return false
	}
	there, err := os.Lstat(p.Socket)
	return err == nil && (l.socket == nil || sameSocket(l.socket, there))
}

// sameSocket also compares when both were made: inodes are soon used again.
func sameSocket(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime())
}

// Inherit is the file of a descriptor that this process was started with. Such
// descriptors arrive blocking, and deadlines would not work on them.
func Inherit(fd int, name string) (*os.File, error) {
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, wire.Errorf(wire.CodeStart, "descriptor %d (%s) was not inherited: %v", fd, name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}
