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

// Listen binds the endpoint's socket and replaces a stale socket file. It returns
// [wire.CodeHeld] if l is not the endpoint's lease, or if a process without the lease
// listens on the socket.
func Listen(e home.Endpoint, l *Lease) (*net.UnixListener, error) {
	if err := e.CheckLength(); err != nil {
		return nil, err
	}
	if l == nil || !l.at(e.Lock) {
		return nil, wire.Errorf(wire.CodeHeld, "listening at %s needs the lease %s", e.Socket, e.Lock)
	}
	if err := removeStale(e); err != nil {
		return nil, err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: e.Socket, Net: "unix"})
	if err != nil {
		return nil, wire.OSError("listening at "+e.Socket, err)
	}
	// By default, Close removes the file at the socket's path, even if another server has
	// replaced it by then.
	listener.SetUnlinkOnClose(false)
	if err := claim(e, l); err != nil {
		listener.Close()
		return nil, err
	}
	return listener, nil
}

// claim sets the mode of the new socket and stores the socket's identity in l. It writes two
// lines to the lock file: the socket's path, which the error of [TryAcquire] contains, and the
// identity of this process, which [Listener] returns. A socket can get its mode only after it
// is bound. Until then, the mode of the directory keeps other users out.
func claim(e home.Endpoint, l *Lease) error {
	if err := os.Chmod(e.Socket, 0o600); err != nil {
		return wire.OSError("protecting "+e.Socket, err)
	}
	info, err := os.Lstat(e.Socket)
	if err != nil {
		return wire.OSError("reading "+e.Socket, err)
	}
	l.socket = info
	note := e.Socket + "\n"
	if process, err := FindProcess(os.Getpid()); err == nil {
		note += process.String() + "\n"
	}
	if _, err := l.file.WriteAt([]byte(note), 0); err != nil {
		return wire.OSError("writing "+e.Lock, err)
	}
	return l.file.Truncate(int64(len(note)))
}

// removeStale removes the endpoint's socket file if the system refuses connections to it. If
// the file does not exist, removeStale does nothing. In all other cases a process may be
// listening, so removeStale leaves the file and returns an error.
func removeStale(e home.Endpoint) error {
	var d net.Dialer
	// Dialing does not block: it fails at once if the socket's accept queue is full.
	conn, err := d.DialContext(context.Background(), "unix", e.Socket)
	switch {
	case err == nil:
		conn.Close()
		return wire.Errorf(wire.CodeHeld, "a process without the lease listens at %s", e.Socket)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case !errors.Is(err, unix.ECONNREFUSED):
		return wire.OSError("probing "+e.Socket, err)
	}
	return remove(e.Socket)
}

// Unlink removes the endpoint's socket file if l is not nil and [Bound] reports true. Otherwise
// the file may belong to another process, and Unlink does nothing. A server calls Unlink when
// it ends.
func Unlink(e home.Endpoint, l *Lease) error {
	if l == nil || !Bound(e, l) {
		return nil
	}
	return remove(e.Socket)
}

// remove removes the file at path, if it exists.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wire.OSError("removing "+path, err)
	}
	return nil
}

// Bound reports whether the endpoint's lock file is still the file that l has locked, and whether
// the endpoint's socket file is still the one that [Listen] bound with l. It returns false if one
// of the files, or a directory above it, was removed or replaced. If this process has not called
// Listen with l, for example because it has inherited the listening socket together with l, any
// file at the socket's path counts as the socket.
func Bound(e home.Endpoint, l *Lease) bool {
	if !l.at(e.Lock) {
		return false
	}
	current, err := os.Lstat(e.Socket)
	return err == nil && (l.socket == nil || SameSocket(l.socket, current))
}

// SameSocket reports whether two results of Lstat describe the same socket. It also compares
// their modification times, since the system soon reuses inode numbers.
func SameSocket(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime())
}

// Inherit returns the file of a descriptor that this process inherited. It makes the descriptor
// non-blocking, because deadlines do not work otherwise, and sets its close-on-exec flag. It
// returns [wire.CodeStart] if the descriptor is not open.
func Inherit(fd int, name string) (*os.File, error) {
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, wire.Errorf(wire.CodeStart, "descriptor %d (%s) was not inherited: %v", fd, name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}
