package keeper

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// rawFD is a descriptor that the keeper holds for its brokers and does not use itself. An
// [os.File] would be registered with the runtime's poller, and each message that passes
// through the descriptor would wake the keeper up.
type rawFD struct{ fd int }

// newRawFD duplicates a file's descriptor, and closes the file.
func newRawFD(f *os.File) (*rawFD, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	var h rawFD
	var failed error
	err = raw.Control(func(fd uintptr) { h.fd, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err = errors.Join(err, failed); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &h, f.Close()
}

// file returns a duplicate of the descriptor, for a child process.
func (h *rawFD) file() (*os.File, error) {
	fd, err := unix.FcntlInt(uintptr(h.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "browser's pipe"), nil
}

// Close closes the descriptor. It does nothing if h is nil.
func (h *rawFD) Close() error {
	if h == nil {
		return nil
	}
	return unix.Close(h.fd)
}
