package broker

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// handle is a descriptor that a keeper holds for its brokers and makes no use of
// itself. Were it an [os.File], each message that goes through it would wake the
// keeper up.
type handle struct{ fd int }

// handleOf takes over what f is open on, and closes f.
func handleOf(f *os.File) (*handle, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	var h handle
	var failed error
	err = raw.Control(func(fd uintptr) { h.fd, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err = errors.Join(err, failed); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &h, f.Close()
}

// file is another descriptor of the same, to start a process with.
func (h *handle) file() (*os.File, error) {
	fd, err := unix.FcntlInt(uintptr(h.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "browser's pipe"), nil
}

// Close lets the descriptor go, where there is one.
func (h *handle) Close() error {
	if h == nil {
		return nil
	}
	return unix.Close(h.fd)
}

// opened are the files that open makes, also where one cannot be made.
func opened(open ...func() (*os.File, error)) ([]*os.File, error) {
	var files []*os.File
	for _, one := range open {
		f, err := one()
		if err != nil {
			return files, err
		}
		files = append(files, f)
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // it was for another process
	}
}
